"""docs/how-to/write-a-checker.md: the commands work as the page says, from new-test to report."""

import json

import pytest

from tests import test_extend_page as extend

PAGE = extend.PAGE.with_name("write-a-checker.md")


def test_the_page_leads_from_a_new_test_to_its_report(tmp_path):
    extend.Section("A new test", tmp_path, PAGE).run()
    folder = tmp_path / "shop" / "monthly_sales"
    assert (folder / "make.py").exists()
    extend.Section("Change it", tmp_path, PAGE).run()
    assert (folder / "wrong" / "smallest_first.md").exists()
    assert "0.875" in PAGE.read_text("utf-8")
    shown = extend.Section("Run it", tmp_path, PAGE).run()
    assert "5 of 6 checks passed" in shown
    (evaluation,) = tmp_path.glob("assay-out/runs/*/reports/evaluations/*/monthly_sales_001.txt")
    assert "paid_orders is 12 in the answer" in evaluation.read_text("utf-8")
    document = json.loads(extend.run(tmp_path, "assay", "report", "--json").stdout)
    (suite,) = document["models"][0]["suites"]
    assert [test["score"] for test in suite["tests"]] == [pytest.approx(0.875)]
    code = (folder / "check.py").read_text("utf-8")
    (folder / "check.py").write_text(
        code.replace('"paid_orders", truth["paid_orders"]', '"paid_orders", 12')
    )
    done = extend.run(tmp_path, "assay", "rescore", "--json", "--allow-code-execution")
    (suite,) = json.loads(done.stdout)["models"][0]["suites"]
    assert [test["score"] for test in suite["tests"]] == [1.0]
    code = (folder / "make.py").read_text("utf-8")
    (folder / "make.py").write_text(code.replace("10 * number", "20 * number"))
    done = extend.run(tmp_path, "assay", "rescore", "--json", "--allow-code-execution")
    assert "it gives other files than the prompt shows" in done.stderr
    assert json.loads(done.stdout)["models"][0]["suites"][0]["score"]["value"] == 100
