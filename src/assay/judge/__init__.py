"""Judging: a test, its answer, the evidence and a judge's facts become Requests; from their Replies
comes a Judgement, and from all Judgements of an answer a FinalJudgement. No input or output here,
apart from reading a rubric's files.
"""
