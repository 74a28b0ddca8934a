"""DECIDE: what the trials of a model show.

    trials          Trials -> SuiteSummary       outcomes to the letter of the contract
    speed           Replies -> Performance       how quick, how long, how it ended
    baselines       Suite -> Baselines           what an empty or constant answer would score
    card            Suite -> SuiteCard           its balance, beside the baselines
    comparisons     two SuiteSummaries, paired by test; Standings, ranked
    checkpoints     Replies -> the figures of a checkpoint
    judged          judgements -> Judged          judged tests: means, differences, which to use

Every figure is an Estimate, with n, an interval and a unit.
"""
