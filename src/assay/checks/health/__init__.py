"""Is a generated answer healthy? Each check says yes or no, with the passage that decided.

examine    a sample prompt and an answer -> Health: every check below
loop, repetition, nonsense      failures, which count at the gate
notes, ticks                    what is shown beside the answer
reading                         an answer as the checks see it
"""
