"""People review stored answers: a queue, one answer at a time, and what came of it."""
