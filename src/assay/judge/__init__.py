"""Judging: a rubric and an answer become requests to a judge; its replies become a judgement.

In: a test, its answer, the evidence, and a judge's facts. Out: Requests, and from their Replies a
Judgement; from all Judgements of an answer a FinalJudgement. Does no input or output, apart from
reading a rubric's files.

    rubrics           what is judged            calibration   a judge against known points
    questionnaire     how one judge is asked    family        whether it is of the tested model's
    likelihood/       yes or no, read from log-probabilities
    reasoned/         reasons and scores, written as structured output
    guards/           the answer as data; quotes, trivial answers, words that address the judge
    final_judgement   bounds, medians, the band, confidence
"""
