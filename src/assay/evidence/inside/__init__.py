"""What travels into the sandbox with an answer: it runs the answer's code and tells what came out.

supervise   reads the job, starts a process per group of steps, counts, and writes the report
answering   the process that runs the answer's code: hostile from the moment it is loaded
service     the HTTP service with faults that clients are tried against
wire        messages between the first two, and values in them

Nothing here knows what a right result is: that stays outside. Standard library only, and no import
of Assay, which is not there.
"""
