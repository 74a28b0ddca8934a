"""Commands in answers: found, parsed as shell, compared by what they do. Nothing is ever executed.

reading   an answer -> snippets of shell (prose: those in plain sentences)
syntax    snippets -> commands, by tree-sitter
meaning   commands -> what they do (options, programs: tables)
sequence  steps found in order; modules: kernel module names
marking   the two scorers, top_k and command_sequence
"""
