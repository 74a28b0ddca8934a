"""Ewe: which language a text is in, how well it reads as Ewe, and the old benchmark's rules."""
