"""What `suites` and `doctor` found, as a Document or as values for JSON."""

from __future__ import annotations

from dataclasses import asdict

from assay.reports import suite_card
from assay.reports.catalogue import suites_document
from assay.reports.doctor import examination_document, examination_json
from assay.reports.json_values import JsonObject
from assay.types.documents import Document
from assay.workflow.discover.doctor import Examination
from assay.workflow.discover.suite_list import SuiteDescription, SuiteList

Discovered = SuiteList | SuiteDescription | Examination


def discovery_document(result: Discovered, *, whole: bool) -> Document:
    """`whole`: of a suite the tests too, not only its card."""
    match result:
        case SuiteList():
            return suites_document(result.suites)
        case SuiteDescription():
            if whole:
                return suite_card.suite_document(result.suite, result.card)
            return suite_card.card_document(result.card)
        case Examination():
            return examination_document(result.lines)


def discovery_values(result: Discovered) -> JsonObject:
    match result:
        case SuiteList():
            return suite_card.suites_json(result.suites)
        case SuiteDescription():
            return suite_card.card_json(result.card)
        case Examination():
            return examination_json(
                result.lines, machine=asdict(result.machine), ollama=asdict(result.ollama)
            )
