"""Whether a judge may be trusted: gold answers, injections, and the marks of its card.

gold         answers with known faults and known scores, from gold.toml of each shipped rubric
injections   words that ask for a better score, and harmless ones that sound alike
readings     what a judge is asked about them, in one form and layout
marks        order, level, stability, injection
version      a digest of all this and of the prompts

Does no input or output, apart from reading the shipped files.
"""
