"""The `likelihood` form: yes-or-no questions, read from how likely the judge finds either word."""
