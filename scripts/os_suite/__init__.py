"""How the OS benchmark is made: a module a category, each from facts with their sources."""
