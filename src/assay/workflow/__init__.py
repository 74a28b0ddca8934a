"""The pages to read first: each module is one job, its steps in order.

`evaluate` runs suites against models, once `preparing` has found everything (`job_files`,
`opened_models`, `what_to_decide`); `results` reads a run back from the store as a Report;
`comparing` and `ranking` set runs side by side; `rescoring` marks again; `exporting` hands out the
records; `demo` shows all of it. Only here do the stages meet.
"""
