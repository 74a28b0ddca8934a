"""Judged tests in reports.

section               their part of a run's report
comparative_analysis, final_summary   the two pages about them
judging               how far the judges can be trusted, in all three
sentences             what these say in the same words
json_documents        the same for programs
evaluation_text       one judgement in the standard evaluation format; evaluation_reading reads
such texts, whoever wrote them
"""
