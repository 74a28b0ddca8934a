"""JSON and TOML files: their values, and the line and column of every mistake in them."""
