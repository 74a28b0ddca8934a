"""For authors of tests.

validation   files and folders -> every finding; with code, reference and wrong answers tried out
new_test     a name -> the files of a test to begin with
"""
