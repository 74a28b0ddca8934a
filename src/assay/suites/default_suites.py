"""Which suites are asked where none is named."""

OF_SERVED = ("coding", "data")
OF_CHECKPOINTS = ("os", "technical", "troubleshooting", "mmlu", "hellaswag")  # as far as installed
