"""The web viewer, `assay view`: a few pages over the store, on this machine only.

A page is one function and one template:

    @page("/runs/{run}/compare", "compare.html.j2", label=message("Compare"), place="run")
    def compare(view: PageView) -> Shown:
        return {"run": view.run(), "comparison": ...}

The function is called in a thread of its own and returns what its template shows. `label` puts it
into the navigation, of the site or of a run, at the place that `rank` gives. With
`changes=True` the page takes a POST too: `view.form` has its fields, and the hidden field `csrf`
(`{{ view.csrf }}`) has been checked. A template extends `base.html.j2`; `tr`, `trn`, `numbers` and
the filter `shown` (for every text that a model wrote) are there. An element with an id and
`data-live` is replaced by its newest version every two seconds. No inline script or style: the
policy of `security.py` forbids both.
"""
