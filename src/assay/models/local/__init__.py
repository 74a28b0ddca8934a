"""`PATH` or `hf:PATH`: checkpoints on this machine's disk.

`model` is the Model; the rest in the order it needs them:

    folder, files               what belongs to a checkpoint, and its small files
    skeleton, weights, vocabulary   the model its config describes, without weights; whether the
                                files and the tokenizer fit it
    fingerprint, facts, size_class  what stands for it in every request id; what is known of it
    loading                     weights on a device, ready for the engine
    tokenizer, tokenizer_file   texts and token ids
    prompts                     a conversation as the text to be continued
    encoding, pieces, remembered    prompts, choices and texts as token ids; each piece once
    answering, stopping, reading    requests through the engine and back to replies
    speed                       tokens a second in a process of its own
    shipped                     where the tiny checkpoints lie that ship
"""
