"""The form in which a judge is asked: likelihoods, or reasons and scores."""

from assay.judge.likelihood.questionnaire import LikelihoodQuestionnaire
from assay.judge.questionnaire import Assignment, Questionnaire
from assay.judge.reasoned.questionnaire import ReasonedQuestionnaire


def open_questionnaire(assignment: Assignment) -> Questionnaire:
    if assignment.form == "reasoned":
        return ReasonedQuestionnaire(assignment)
    return LikelihoodQuestionnaire(assignment)
