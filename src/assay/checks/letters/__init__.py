"""Which letter an answer means (`reading`), among which (`options`), or which is most likely."""
