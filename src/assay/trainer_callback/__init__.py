"""`assay.TrainerCallback`: evaluates every checkpoint that transformers' Trainer saves.

callback            what the Trainer calls, when a result is logged, and when training stops
best_checkpoint     one of our figures as `metric_for_best_model`
background          the queue of checkpoints for a process of its own
evaluator_process   that process
step_evaluation     one saved checkpoint to its figures, in either process
"""
