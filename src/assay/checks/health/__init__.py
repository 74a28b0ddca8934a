"""Is a generated answer healthy? Each check says yes or no, with the passage that decided.

examine    a sample prompt and an answer -> Health: every check below
loop, repetition, nonsense      failures, which count at the gate
notes, ticks                    what is shown beside the answer
reading, line_kinds             an answer as the checks see it
word_evidence, word_order, disjointed, bare_words, code_order, floods     what speaks for nonsense
word_model, scripts             what is known of words and letters
"""
