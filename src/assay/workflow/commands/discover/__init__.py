"""What is here before a run begins: models, suites, judges, and what a run will take."""
