"""Pictures as SVG text that stands alone: no script, no link, no font of its own.

steps, quality, judged   one picture each
plot      dots with their scale, limits, intervals and labels
canvas    the document, lines, marks, words, the palette
labels    texts made harmless, measured, and put where nothing else is
scales    where a number is, and how it is written
"""
