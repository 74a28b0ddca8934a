"""The format of a test: the fields of an entry in a category file.

case     one test object -> Case, with the files that it shows in its prompt
fields   the fields that every test may have, those of each check, and all as JSON Schema
"""
