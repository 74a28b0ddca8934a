import pytest

from assay.errors import ModelUnavailable
from assay.models.opening import open_model, read_spec
from assay.types.model_spec import ModelSpec, without_userinfo


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("scripted:a.json", ModelSpec("scripted", "a.json")),
        ("scripted:a@http://b.json", ModelSpec("scripted", "a@http://b.json")),
        ("ollama:llama3.2:3b", ModelSpec("ollama", "llama3.2:3b")),
        ("ollama:a@b", ModelSpec("ollama", "a@b")),
        ("ollama:m@http://host:1", ModelSpec("ollama", "m", "http://host:1")),
        ("openai:org/m@v2@https://h/v1", ModelSpec("openai", "org/m@v2", "https://h/v1")),
        ("openai:m@http://a@http://b/v1", ModelSpec("openai", "m@http://a", "http://b/v1")),
        ("openai:m", ModelSpec("openai", "m")),
        ("runs/step_100", ModelSpec("hf", "runs/step_100")),
        ("hf:runs/step_100", ModelSpec("hf", "runs/step_100")),
        ("C:/models/x", ModelSpec("hf", "C:/models/x")),
        ("https://x", ModelSpec("https", "//x")),
    ],
)
def test_the_scheme_is_before_the_first_colon_and_the_url_after_the_last_at(text, spec):
    assert read_spec(text) == spec


def test_a_password_in_a_url_is_never_shown():
    assert without_userinfo("http://me:secret@host:8/v1?a=b") == "http://host:8/v1?a=b"
    assert "secret" not in str(read_spec("openai:m@https://me:secret@host/v1"))
    assert str(read_spec("http://me:secret@host:8/v1")) == "http://host:8/v1"


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("my-modle/", "there is no folder 'my-modle/'; did you mean 'my-model'?"),
        ("gguf:tiny.gguff", "there is no file 'tiny.gguff'; did you mean 'tiny.gguf'?"),
        ("elsewhere/zzz", "there is no folder 'elsewhere/zzz'"),
    ],
)
def test_a_mistyped_path_is_answered_with_the_nearest_name(typed, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my-model").mkdir()
    (tmp_path / "tiny.gguf").touch()
    with pytest.raises(ModelUnavailable) as refused:
        open_model(typed)
    assert refused.value.message == message
