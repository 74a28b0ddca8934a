import json
import subprocess
import sys

import pytest

from assay.errors import ModelUnavailable
from assay.models.opening import open_model
from assay.models.scripted import ScriptedModel
from assay.types import Answered, Failed, Message, Request, Sampling, ToAnswer


def request(test_id="a_001", *, suite="s", turn=0, repeat=0, predictions=1):
    sampling = Sampling(temperature=0.3, seed=0, max_tokens=8, predictions=predictions)
    work = ToAnswer(messages=(Message("user", "?"),), sampling=sampling)
    return Request(
        id=f"{suite}/{test_id}/{turn}/{repeat}",
        suite=suite,
        test_id=test_id,
        turn=turn,
        repeat=repeat,
        work=work,
    )


@pytest.fixture
def script(tmp_path):
    def write(document):
        path = tmp_path / "model.json"
        path.write_text(document if isinstance(document, str) else json.dumps(document))
        return ScriptedModel(path)

    return write


def said(model, *requests):
    return list(model.answer(requests))


def test_an_answer_is_found_by_test_id_and_the_default_serves_the_rest(script):
    model = script({"answers": {"a_001": "yes"}, "default": "no"})
    assert [r.text for r in said(model, request(), request("a_002"))] == ["yes", "no"]


def test_the_key_with_the_suite_wins_where_two_suites_share_an_id(script):
    model = script({"answers": {"a_001": "plain", "t/a_001": "of t"}})
    assert [r.text for r in said(model, request(), request(suite="t"))] == ["plain", "of t"]


def test_a_list_answers_turn_by_turn_and_a_turn_too_many_fails(script):
    model = script({"answers": {"a_001": ["one", "two"]}})
    first, second, third = said(model, *(request(turn=turn) for turn in range(3)))
    assert (first.text, second.text) == ("one", "two")
    assert isinstance(third, Failed)


def test_repeats_are_taken_in_order_and_then_round(script):
    model = script({"answers": {"a_001": {"repeats": ["a", "b"]}}})
    assert [r.text for r in said(model, *(request(repeat=n) for n in range(3)))] == ["a", "b", "a"]


def test_predictions_come_best_first_and_no_more_than_were_asked_for(script):
    model = script({"answers": {"a_001": {"predictions": ["x", "y", "z", "w"]}}})
    (reply,) = said(model, request(predictions=3))
    assert reply.predictions == ("x", "y", "z")
    assert (reply.text, reply.prediction_method) == ("x", "given")


def test_thinking_is_split_off(script):
    (reply,) = said(script({"default": "<think>A?</think>B"}), request())
    assert (reply.text, reply.reasoning) == ("B", "A?")


def test_a_scripted_failure_and_a_missing_answer_are_failures_never_answers(script):
    model = script({"answers": {"b": "x"}, "fail": {"a_001": "connection reset"}})
    first, second = said(model, request(), request("zzz"))
    assert first == Failed(
        request_id=first.request_id, reason="connection reset", total_s=first.total_s
    )
    assert isinstance(second, Failed)
    assert "zzz" in second.reason


def test_the_fingerprint_is_the_hash_of_the_file(script, tmp_path):
    before = script({"default": "a"}).facts.fingerprint
    assert before == script({"default": "a"}).facts.fingerprint
    assert before != script({"default": "b"}).facts.fingerprint
    assert before.startswith("sha256:")


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ("", "not valid"),
        ("[]", "object"),
        ("{}", "answers nothing"),
        ('{"answers": {"a": 1}}', "'answers.a' must be a text, a list of texts"),
        ('{"answers": {"a": []}}', "'answers.a' is empty"),
        ('{"answers": {"a": {"predictions": []}}}', "predictions' is empty"),
        ('{"answers": {"a": {"repeats": [{"repeats": ["x"]}]}}}', "unknown field 'repeats'"),
        ('{"answers": {"a": "x", "a": "y"}}', "appears twice"),
        ('{"answer": {"a": "x"}, "default": "d"}', "did you mean 'answers'"),
        ('{"default": 3}', "'default' must be a text"),
        ('{"default": "x", "delay_s": -1}', "'delay_s'"),
        ('{"default": "x", "delay_s": NaN}', "NaN is not JSON"),
        ('{"default": "x", "fail": {"a": 1}}', "'fail.a' must be a text"),
        ("[" * 100_000, "not valid"),
    ],
)
def test_a_wrong_script_is_refused_with_what_is_wrong(script, document, says):
    with pytest.raises(ModelUnavailable, match=says):
        script(document)


def test_half_a_surrogate_pair_is_refused_with_its_place(script):
    with pytest.raises(ModelUnavailable, match="1:15: half a character"):
        script('{"default": "a\\ud800b \\ud83d\\ude00"}')


def test_invalid_utf8_is_refused(tmp_path):
    path = tmp_path / "m.json"
    path.write_bytes(b'{"default": "\xff"}')
    with pytest.raises(ModelUnavailable, match="not valid"):
        ScriptedModel(path)


def test_a_missing_script_and_a_folder_are_refused_with_a_hint(tmp_path):
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(ModelUnavailable) as caught:
            open_model(f"scripted:{path}")
        assert caught.value.hint


def test_a_kind_of_model_that_cannot_be_asked_yet_is_refused_by_name():
    with pytest.raises(ModelUnavailable, match="models/step_100"):
        open_model("models/step_100")


def test_replies_are_answers_with_their_time(script):
    (reply,) = said(script({"default": "x", "delay_s": 0.02}), request())
    assert isinstance(reply, Answered)
    assert reply.total_s >= 0.02


def test_a_model_opens_without_scipy_which_takes_a_fifth_of_a_second_to_load(tmp_path):
    script = tmp_path / "answers.json"
    script.write_text('{"default": "yes"}')
    code = "import sys; from assay.models.opening import open_model; "
    code += f"open_model('scripted:{script}'); print('scipy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
