"""Reports on suites: the card, statistics of the tests, test plans."""
