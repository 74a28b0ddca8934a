"""Is a generated answer healthy? Each check says yes or no, with the passage that decided.

examine    a sample prompt and an answer -> Health: every check below
loop, repetition, nonsense      failures, which count at the gate
length, coherence, terms, relevance, truncation, accuracy      notes
reading, line_kinds, sentences, finding     an answer as the checks see it
restated        what was said before in other words
word_evidence, word_order, disjointed, code_order, floods     what speaks for nonsense
word_model, scripts             what is known of words and letters
"""
