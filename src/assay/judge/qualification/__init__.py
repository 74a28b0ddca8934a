"""Whether a judge may be trusted: gold answers, injections, and the marks of its card.

readings   the gold answers and injections, and what a judge is asked about them
marks      order, level, stability, injection

Does no input or output, apart from reading the shipped files.
"""
