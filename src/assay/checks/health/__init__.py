"""Is a generated answer healthy? Each check says yes or no, with the passage that decided.

Start at `examine`. Loop, repetition and nonsense count at the gate; notes and ticks are shown.
"""
