"""What is here before a run begins: models, suites, judges, and how much a run will ask."""
