"""The format of a test: the fields of an entry in a category file."""
