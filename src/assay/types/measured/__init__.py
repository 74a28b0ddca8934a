"""What is measured beside scores: speed and memory, drift, samples, statistics of tests."""
