"""The page of all runs, in a browser."""


def test_every_run_is_shown_with_its_models_suites_and_state(browser, viewer):
    browser.open(viewer.address)
    shown = browser.find("#runs").text
    for text in ("little", "good", "weak", "finished", "6 answers"):
        assert text in shown
    assert browser.complaints() == []
