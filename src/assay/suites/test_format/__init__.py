"""The format of a test: the fields of an entry in a category file.

case           one test object -> Case
fields         the fields that every test may have, and those of each check
shown_files    files that a judged test shows in its prompt
schema         the format as JSON Schema
"""
