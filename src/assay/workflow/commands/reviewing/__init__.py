"""People review stored answers: a queue, and one answer at a time."""
