"""What to change next, and the figures that say so."""
