"""Tests beside the field's other tools; `make test-around` runs them in `.venv-around`."""
