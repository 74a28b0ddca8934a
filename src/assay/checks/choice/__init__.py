"""Multiple choice: which letter an answer means (`letters`), among which (`options`), `marking`."""
