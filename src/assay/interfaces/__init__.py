"""How people and programs reach the public functions. Thin: no interface computes anything."""
