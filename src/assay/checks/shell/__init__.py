"""Commands in answers: found, parsed as shell, compared by what they do. Nothing is ever executed.

reading   an answer -> snippets of shell (prose: those in plain sentences)
syntax    snippets -> commands, by tree-sitter
arguments words -> options and operands (programs: tables)
meaning   commands -> what they do
sequence  steps found in order
harm      what is destroyed, or taken back again
modules   kernel modules that a line names (claims: what a sentence says of them)
"""
