"""The decision card of each kind of result: a builder takes a result and gives one Card."""
