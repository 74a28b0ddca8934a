"""Pictures as SVG text that stands alone: no script, no link, no font of its own.

steps, quality   one picture each
plot      dots with their scale, limits and intervals
canvas    the document, lines, marks, words, the palette
labels    texts made harmless and measured
scales    where a number is, and how it is written
"""
