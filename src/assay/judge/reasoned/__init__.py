"""The `reasoned` form: a judge writes evidence, reasons and scores as structured output."""
