"""DECIDE: what the trials of a model show; every figure is an Estimate, with n and interval."""
