"""Checkpoints: which one to ship, the curves over the steps, the gate, and what to change next."""

from __future__ import annotations

from collections.abc import Iterator

from starlette.exceptions import HTTPException
from starlette.responses import Response

from assay import api
from assay.api.rendering import PagePart, render_part
from assay.interfaces.web.pages import PageView, Shown, page
from assay.messages import message, tr
from assay.types.decisions import Decision


@page("/checkpoints", "checkpoints.html.j2", label=message("Checkpoints"), rank=60)
def checkpoints(view: PageView) -> Shown:
    runs = [each for each in view.viewing.list_runs() if each.decided]
    run = view.query.get("run") or (runs[0].id if runs else None)
    if run is None:
        return {"runs": runs, "part": None}
    report = api.report(run, out=view.viewing.out)
    return {
        "runs": runs,
        "chosen": run,
        "part": render_part(report, "decision"),
        "at_gate": tr("At {gate}", gate=report.decision.gate.title) if report.decision else "",
        "lights": list(gate_lights(report.decision)) if report.decision else [],
        "selected": {each.selected for each in report.decision.selections.values()}
        if report.decision
        else (),
    }


Light = tuple[str, str, str, str]  # criterion, class, sign, word: never by colour alone


def gate_lights(decision: Decision) -> Iterator[tuple[str, list[Light]]]:
    """Each checkpoint with how it fares at every criterion of the gate."""
    words = {
        True: ("pass", "✓", tr("passes")),
        False: ("fail", "✗", tr("fails")),
        None: ("open", "?", tr("not known")),
    }
    for each in decision.measured:
        criteria = decision.acceptances[each.name].criteria
        lights = []
        for name, criterion in criteria.items():
            kind, mark, word = words[criterion.passed]
            marginal = tr("{word}, marginal", word=word) if criterion.marginal else word
            lights.append((name, kind, mark, marginal))
        yield each.name, lights


@page("/checkpoints/{run}/{picture}.svg", "", rank=60)
def picture(view: PageView) -> Shown:
    """An SVG has a style of its own, which the policy of the pages forbids: so it is an image."""
    part = _part(view, view.run().id)
    number = view.request.path_params["picture"]
    if not number.isdecimal() or int(number) >= len(part.pictures):
        raise HTTPException(404, tr("There is no such picture."))
    return Response(part.pictures[int(number)].draw(), media_type="image/svg+xml")


def _part(view: PageView, run: str) -> PagePart:
    return render_part(api.report(run, out=view.viewing.out), "decision")
