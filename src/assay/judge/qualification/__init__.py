"""Whether a judge may be trusted: gold answers, injections, and the marks of its card.

gold         answers with known faults and known scores, from gold.toml of each shipped rubric;
             injections, which ask for a better score, and harmless words that sound alike
readings     what a judge is asked about them, in one form and layout; a digest of it
marks        order, level, stability, injection

Does no input or output, apart from reading the shipped files.
"""
