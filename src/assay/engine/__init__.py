"""The engine: token ids in, likelihoods, texts as token ids and speeds out.

`choose`, `read`, `generate`, `beams` and `timing` each answer one kind of question, by `network`: a
loaded model. `layout` puts work together, `kernels` computes it. `kernels/own_forward` is the slow
way, for models that the others cannot serve. docs/engine.md has pictures and figures.
"""
