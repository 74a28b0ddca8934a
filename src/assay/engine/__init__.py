"""The engine: token ids in, likelihoods, texts as token ids and speeds out.

What it is made of, in the order data flows:

    tree        contexts -> trunks (computed once, shared) and rows
    packing     trunks and rows -> one packed forward without padding, and who sees whom
    batches     work cut by tokens, and halved when memory runs out
    attention   runs inside the model; arrangements say who sees whom
    network     a loaded model: hidden states of a packing, logits of hidden states
    predicted   how likely tokens are, and how many are likelier; fused: in one pass on a GPU
    choose      which continuation is likeliest
    windows, read                               how likely a long text is
    prompt_filling, slots, graphs, sampling, generate   writing, one token of every row at a time
    beams                                       the k likeliest continuations
    timing                                      how fast, in how much memory, and what limits it
    own_forward the slow way, by the model's own attention: the twin that tests compare with, and
                the way for models the tree cannot serve

docs/engine.md explains it with pictures and figures.
"""
