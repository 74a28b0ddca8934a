"""docs/how-to/write-a-checker.md: the commands work, from a new test to its report."""

import inspect
import json

import pytest

import assay.checking
from tests import test_extend_page as extend

PAGE = extend.PAGE.with_name("write-a-checker.md")


def test_the_page_leads_from_a_new_test_to_its_report(tmp_path):
    extend.Section("A new test", tmp_path, PAGE).run()
    folder = tmp_path / "shop" / "monthly_sales"
    assert (folder / "make.py").exists()
    extend.Section("Change it", tmp_path, PAGE).run()
    assert (folder / "wrong" / "no_least_amount.md").exists()
    assert "0.818" in PAGE.read_text("utf-8")
    shown = extend.Section("Run it", tmp_path, PAGE).run()
    assert "5 of 6 checks passed" in shown
    (evaluation,) = tmp_path.glob("assay-out/runs/*/reports/evaluations/*/monthly_sales_001.txt")
    assert "orders is 12 in the block" in evaluation.read_text("utf-8")
    document = json.loads(extend.run(tmp_path, "assay", "report", "--json").stdout)
    (suite,) = document["models"][0]["suites"]
    assert [test["score"] for test in suite["tests"]] == [pytest.approx(9 / 11, abs=1e-3)]
    code = (folder / "check.py").read_text("utf-8")
    (folder / "check.py").write_text(
        code.replace('Fact("orders", truth["orders"]', 'Fact("orders", 12')
    )
    done = extend.run(tmp_path, "assay", "rescore", "--json", "--allow-code-execution")
    (suite,) = json.loads(done.stdout)["models"][0]["suites"]
    assert [test["score"] for test in suite["tests"]] == [1.0]
    code = (folder / "make.py").read_text("utf-8")
    (folder / "make.py").write_text(code.replace("10 * number", "20 * number"))
    done = extend.run(tmp_path, "assay", "rescore", "--json", "--allow-code-execution")
    assert "it gives other files than the prompt shows" in done.stderr
    assert json.loads(done.stdout)["models"][0]["suites"][0]["score"]["value"] == 100


def test_the_reference_has_every_name_with_its_arguments():
    page = (PAGE.parents[1] / "reference" / "checking.md").read_text("utf-8")
    names = [name for name in vars(assay.checking) if not name.startswith("_")]
    modules = {"blocks", "candidate", "code", "comparing", "examples", "facts", "reporting", "wire"}
    modules |= {
        "nursery",
        "answering",
        "withheld",
        "begin",
        "service",
        "hidden",
        "describing",
        "drawing",
        "visible",
        "stating",
        "telling",
        "contradicting",
        "borrowed",
        "elsewhere",
        "together",
    }
    assert [name for name in names if name not in modules and f"`{name}" not in page] == []
    for name in ("check_facts", "check_report", "list_checks", "json_block", "same_number"):
        takes = inspect.signature(getattr(assay.checking, name)).parameters
        line = next(line for line in page.splitlines() if f"`{name}(" in line)
        assert [one for one in takes if one not in line.partition("|")[2]] == []
