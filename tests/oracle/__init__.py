"""What Assay does, written down: `make oracle` says where that has changed.

An entry is a few command lines over fixed inputs and the text that they print, in one file of
`entries/`. It holds behaviour, not code: a room that is written anew must leave every entry as it
is, or say in one line why not.

    registry.py    what an entry and a scene are
    scenes.py      the inputs: suites, scripted models, checkpoints, and the runs that entries share
    the others     the entries, by subject
    stage.py       runs the command lines of an entry in a folder
    masks.py       takes out what differs from one machine to another
    entries/       the texts
"""
