"""SCORE: a rubric and an answer to requests for a judge; its replies to a verdict.

In: a test, its answer, the hard evidence, and a judge's facts. Out: Requests, and from their
Replies a Judgement; from all Judgements of an answer a FinalJudgement. Does no input or output,
apart from reading a rubric's files.

    rubrics    what is judged by            fencing    the answer as data, never as instruction
    reasoned   reasons and scores, written  likelihood yes and no, read from log-probabilities
    quotes     whether a quote is one       suspicions what tries to talk to the judge
    verdicts   caps, medians, the band
"""
