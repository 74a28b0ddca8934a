"""Who is let in, and what the pages may do: asked over HTTP, as an attacker would."""

import subprocess
import sys

import pytest

from tests.interfaces.web.conftest import view


def test_every_page_forbids_scripts_and_frames_of_others(viewer):
    for path in ("/", "/static/assay.css", "/nothing"):
        answer = viewer.ask(path)
        policy = answer.getheader("content-security-policy")
        assert policy.startswith("default-src 'none'"), path
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.getheader("x-content-type-options") == "nosniff"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:80", "", "[::1", "0"])
def test_a_foreign_host_is_refused(viewer, host):
    assert viewer.ask(Host=host).status == 400


@pytest.mark.parametrize("host", ["localhost:9000", "127.0.0.1", "[::1]:8765", "LOCALHOST"])
def test_names_of_this_machine_are_served_at_any_port_because_of_tunnels(viewer, host):
    assert viewer.ask(Host=host).status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "https://127.0.0.1"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
)
def test_a_request_from_another_site_is_refused(viewer, headers):
    assert viewer.ask(**headers).status == 403
    assert viewer.ask("/static/assay.css", **headers).status == 403


def test_a_page_takes_no_change_and_no_path_leads_out_of_the_static_files(viewer):
    assert viewer.ask(method="POST", body="csrf=").status == 405
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static//etc/passwd"):
        assert viewer.ask(path).status == 404


def test_a_token_is_wanted_on_every_request_and_then_kept_in_a_cookie(viewed):
    with view(viewed, "--token", "sésame") as viewer:
        assert "token=" in viewer.address
        for path in ("/", "/static/assay.css", "/?token=wrong", "/?token="):
            assert viewer.ask(path).status == 401
        assert viewer.ask(Cookie=f"assay_view_{viewer.port}=sesame").status == 401
        assert viewer.ask(Authorization="Bearer wrong").status == 401
        opened = viewer.ask("/?q=a&token=s%C3%A9same")
        assert (opened.status, opened.getheader("location")) == (303, "/?q=a")
        cookie = opened.getheader("set-cookie")
        assert "httponly" in cookie.lower()
        assert "samesite=strict" in cookie.lower()
        assert "s%C3%A9same" not in cookie
        assert "sésame" not in cookie
        own = cookie.partition(";")[0]
        for sent in (own, f'of another program={{"a": 1}}; {own}'):
            assert viewer.ask(Cookie=sent).status == 200


def test_another_host_than_this_machine_needs_a_token(viewed):
    done = viewed.assay("view", "--no-open", "--host", "0.0.0.0")
    assert done.returncode == 2
    assert "--token" in done.stderr


def test_a_port_in_use_is_said_with_the_next_step_and_nobody_is_ended(viewed, viewer):
    done = viewed.assay("view", "--no-open", "--port", str(viewer.port))
    assert done.returncode == 2
    assert f"port {viewer.port} is in use" in done.stderr
    assert "--port" in done.stderr
    assert viewer.ask().status == 200


def test_without_the_extra_it_is_said_what_to_install(viewed):
    program = (
        "import sys; sys.modules['starlette'] = sys.modules['uvicorn'] = None; "
        "from assay.__main__ import main; sys.argv = ['assay', 'view', '--no-open']; main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 2
    assert "slm-assay[web]" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_run_or_a_store_that_is_not_there_is_said_before_anything_is_served(viewed, tmp_path):
    done = viewed.assay("view", "nothing", "--no-open")
    assert done.returncode == 2
    assert "there is no run 'nothing'" in done.stderr
    viewed.out, kept = tmp_path, viewed.out
    try:
        done = viewed.assay("view", "--no-open")
    finally:
        viewed.out = kept
    assert done.returncode == 2
    assert "there is no store" in done.stderr
