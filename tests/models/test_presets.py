"""Endpoints by name: what ships, what a user adds, and what is refused without being shown."""

import tomllib
from pathlib import Path

import pytest

from assay.errors import InvalidFiles, UsageError
from assay.models.opening import read_spec
from assay.models.presets import SHIPPED, Preset, endpoint, load_presets, preset_files

SECRET = "sk-proj-Kq7xWv2mTz9"
SOUND = '[mine]\nkind = "openai"\nurl = "https://models.example/v1"\nkey_env = "MY_KEY"\n'


@pytest.fixture(autouse=True)
def _no_host(monkeypatch):
    monkeypatch.delenv("OLLAMA_HOST", raising=False)


@pytest.fixture
def shipped():
    return load_presets([SHIPPED])


@pytest.fixture
def findings(tmp_path):
    def of(text: str | bytes) -> list[str]:
        path = tmp_path / "presets.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises(InvalidFiles) as refused:
            load_presets([SHIPPED, path])
        assert refused.value.hint
        return [str(finding).removeprefix(str(path)) for finding in refused.value.findings]

    return of


# ---------------------------------------------------------------------------------- what ships


def test_what_ships_has_the_local_ollama_and_providers_with_the_variable_of_their_key(shipped):
    assert shipped["local"] == Preset(name="local", kind="ollama", url="http://127.0.0.1:11434")
    keys = {name: preset.key_env for name, preset in shipped.items()}
    assert keys == {
        "local": None, "lmstudio": None, "llamacpp": None, "vllm": None,
        "openai": "OPENAI_API_KEY", "openrouter": "OPENROUTER_API_KEY", "groq": "GROQ_API_KEY",
        "together": "TOGETHER_API_KEY", "mistral": "MISTRAL_API_KEY",
        "deepseek": "DEEPSEEK_API_KEY", "huggingface": "HF_TOKEN",
    }  # fmt: skip


def test_a_key_goes_only_where_it_is_encrypted_or_does_not_leave_the_machine(shipped):
    for preset in shipped.values():
        start = "https://" if preset.key_env else "http://127.0.0.1:"
        assert preset.url.startswith(start), preset.name


def test_every_provider_becomes_a_spec_with_its_url(shipped):
    spec = shipped["groq"].spec("llama-3.1-8b-instant")
    assert spec == "openai:llama-3.1-8b-instant@https://api.groq.com/openai/v1"
    assert read_spec(spec).url == shipped["groq"].url


def test_the_local_ollama_is_where_ollama_host_says(shipped, monkeypatch):
    local = shipped["local"]
    assert local.spec("qwen3:4b") == "ollama:qwen3:4b"
    assert local.shown_url == "http://127.0.0.1:11434"
    monkeypatch.setenv("OLLAMA_HOST", "box:9999")
    assert local.spec("qwen3:4b") == "ollama:qwen3:4b"
    assert local.shown_url == "http://box:9999"


def test_another_ollama_stays_where_its_preset_says_whatever_ollama_host_says(monkeypatch):
    other = Preset(name="laptop", kind="ollama", url="http://127.0.0.1:11434")
    assert other.spec("a") == "ollama:a"
    monkeypatch.setenv("OLLAMA_HOST", "box:9999")
    assert other.spec("a") == "ollama:a@http://127.0.0.1:11434"
    assert other.shown_url == "http://127.0.0.1:11434"


# ------------------------------------------------------------------------------- what is added


def test_a_local_of_the_users_own_stays_where_the_file_says_whatever_ollama_host_says(
    tmp_path, monkeypatch
):
    path = tmp_path / "mine.toml"
    path.write_text('[local]\nkind = "ollama"\nurl = "http://lab:11434"\n')
    monkeypatch.setenv("OLLAMA_HOST", "box:9999")
    mine = load_presets([SHIPPED, path])["local"]
    assert mine.spec("a") == "ollama:a@http://lab:11434"
    assert mine.shown_url == "http://lab:11434"


@pytest.mark.parametrize(("kind", "path"), [("openai", "/v1"), ("ollama", "")])
def test_capitals_in_a_scheme_do_not_cost_the_url(tmp_path, kind, path):
    file = tmp_path / "mine.toml"
    file.write_text(f'[mine]\nkind = "{kind}"\nurl = "HTTP://Lab:80{path}"\n')
    spec = load_presets([file])["mine"].spec("m")
    assert read_spec(spec).url == f"http://Lab:80{path}"


def test_of_two_presets_with_one_name_the_later_counts_whole(tmp_path):
    first, second = tmp_path / "a.toml", tmp_path / "b.toml"
    first.write_text('[groq]\nkind = "openai"\nurl = "https://a.example/v1"\nmodel = "m"\n')
    second.write_text('[groq]\nkind = "openai"\nurl = "https://b.example/v1"\n')
    found = load_presets([SHIPPED, first, second])["groq"]
    assert (found.url, found.model, found.key_env) == ("https://b.example/v1", None, None)
    assert found.source == str(second)


def test_files_that_are_not_there_add_nothing(tmp_path, shipped):
    assert load_presets([SHIPPED, tmp_path / "none.toml"]) == shipped


def test_the_folder_is_read_after_the_users_configuration(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    ships, own, folder = preset_files(tmp_path)
    assert ships == SHIPPED
    assert own.parts[-2:] == ("assay", "presets.toml")
    assert folder == tmp_path / "assay-presets.toml"


def test_a_byte_order_mark_and_a_default_model_are_fine(tmp_path):
    path = tmp_path / "presets.toml"
    path.write_bytes(b"\xef\xbb\xbf" + (SOUND + 'model = "small:1b"\n').encode())
    assert load_presets([path])["mine"].model == "small:1b"


# ------------------------------------------------------------------------------------ mistakes


def test_every_mistake_is_shown_at_once_with_its_line(findings):
    text = (
        "# mine\n"
        "[one]\n"
        'kind = "olama"\n'
        'ulr = "http://127.0.0.1:1"\n'
        "\n"
        "[two]\n"
        'kind = "ollama"\n'
        'url = "http://127.0.0.1:11434/v1"\n'
        'key_env = "A_KEY"\n'
        "model = 3\n"
    )
    assert findings(text) == [
        ":2:1: one: error: 'url' is not a server URL",
        ":3:8: one: error: 'kind' must be ollama or openai",
        ":4:1: one: error: a preset has only kind, url, key_env and model: name the variable, "
        'not the key, as in key_env = "MY_API_KEY"',
        ":8:7: two: error: the URL of an Ollama server has no path; for …/v1 the kind is openai",
        ":10:9: two: error: 'model' is the name of a model, as a text",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("[x", ":1:3: -: error: not valid TOML", id="an open end"),
        pytest.param("[x]\na = =", ":2:5: -: error: not valid TOML", id="no TOML"),
        pytest.param("kind = 'openai'", ":1:1: kind: error: this is outside", id="outside"),
        pytest.param("mine = 3", ":1:1: mine: error: this is outside of any preset", id="no table"),
        pytest.param("['a b']\n", ":1:1: -: error: a preset's name has letters", id="a name"),
        pytest.param(b"[a]\nkind = '\xff'", ":2:9: -: error: byte 0xFF", id="encoding"),
        pytest.param("[a]\nurl = 'http://h/v1'", "'kind' must be ollama or openai", id="no kind"),
        pytest.param(
            SOUND.replace("https", "ftp"), "'url' is not a server URL", id="another scheme"
        ),
        pytest.param(SOUND.replace(".example", ":x"), "'url' is not a server URL", id="a bad port"),
        pytest.param(
            SOUND.replace("models.", "a.."), "'a..example' is not a host name", id="no label"
        ),
        pytest.param(
            SOUND.replace("models", "ü" * 70), "is not a host name", id="a label too long"
        ),
    ],
)
def test_a_mistake_says_what_is_wrong(findings, text, said):
    assert any(said in finding for finding in findings(text))


def test_a_folder_in_the_place_of_the_file_is_a_mistake_and_no_crash(tmp_path):
    with pytest.raises(InvalidFiles) as refused:
        load_presets([tmp_path])
    assert "this is not a file" in refused.value.findings[0].message


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(f'key = "{SECRET}"', id="key"),
        pytest.param(f'api_key = "{SECRET}"', id="api_key"),
        pytest.param(f'token = "{SECRET}"', id="token"),
        pytest.param(f'key_env = "{SECRET}"', id="in the place of the variable"),
        pytest.param(f'key_env = "{SECRET.replace("-", "_")}"', id="that could be a variable"),
        pytest.param('key_env = "AKIAIOSFODNN7EXAMPLE"', id="in capitals"),
    ],
)
def test_a_key_in_the_file_is_refused_and_not_shown(findings, line):
    (finding,) = findings(f'[mine]\nkind = "openai"\nurl = "https://h.example/v1"\n{line}\n')
    assert finding.startswith((":4:1: mine: error: ", ":4:11: mine: error: "))
    assert "name the variable, not the key" in finding
    assert "Kq7x" not in finding
    assert "AKIA" not in finding


@pytest.mark.parametrize("url", [f"https://me:{SECRET}@h/v1", f"https://h/v1?key={SECRET}"])
def test_a_password_in_a_url_of_the_file_is_refused_and_not_shown(findings, url):
    (finding,) = findings(f'[mine]\nkind = "openai"\nurl = "{url}"\n')
    assert "no name, password or key" in finding
    assert SECRET not in finding


def test_a_syntax_error_quotes_nothing_of_the_file(findings):
    (finding,) = findings(f"[mine]\nkey_env = {SECRET}\n")
    assert SECRET[:6] not in finding


# ------------------------------------------------------------------------------------ endpoint


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("http://127.0.0.1:8000/v1", "openai:m@http://127.0.0.1:8000/v1"),
        ("https://h.example/api/v1/", "openai:m@https://h.example/api/v1"),
        ("http://box:11434", "ollama:m@http://box:11434"),
        ("http://box:11434/", "ollama:m@http://box:11434"),
        ("http://127.0.0.1:11434", "ollama:m"),
        ("http://v1.example", "ollama:m@http://v1.example"),
        ("Https://box:11434", "ollama:m@https://box:11434"),
    ],
)
def test_a_url_with_v1_is_openai_and_without_it_ollama(shipped, text, spec):
    assert endpoint(text, shipped).spec("m") == spec


def test_an_unknown_preset_gets_a_suggestion(shipped):
    with pytest.raises(UsageError, match=r"no preset 'grok'; did you mean 'groq'\?") as refused:
        endpoint("grok", shipped)
    assert "--list-presets" in refused.value.hint


@pytest.mark.parametrize("path", ["", "/v1"])
@pytest.mark.parametrize("host", ["a..b", "a" * 64, "\u06dd.example"])
def test_a_host_that_no_network_can_know_is_refused_in_words(shipped, host, path):
    with pytest.raises(UsageError):
        endpoint(f"http://{host}:80{path}", shipped)


@pytest.mark.parametrize("text", ["127.0.0.1:8000", "localhost:8000/v1", "box/v1"])
def test_an_address_without_a_scheme_is_told_what_it_lacks(shipped, text):
    with pytest.raises(UsageError) as refused:
        endpoint(text, shipped)
    assert "http://" in refused.value.hint


@pytest.mark.parametrize(
    "text", [f"http://me:{SECRET}@box/x", f"http://me:{SECRET}@[bad/v1", f"me:{SECRET}@box:80"]
)
def test_a_refused_endpoint_shows_no_password(shipped, text):
    with pytest.raises(UsageError) as refused:
        endpoint(text, shipped)
    assert SECRET not in refused.value.message + refused.value.hint


def test_the_shipped_file_is_plain_toml_with_known_fields_only():
    tables = tomllib.loads(Path(SHIPPED).read_text("utf-8"))
    assert {field for table in tables.values() for field in table} == {"kind", "url", "key_env"}
