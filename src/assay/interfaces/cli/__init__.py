"""The command line. A command is loaded only when it is called, so that `--help` is quick. Errors
become words here and nowhere else; with --json they become one document.
"""

import gettext
import itertools
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import TextIO

import click

import assay
from assay.errors import AssayError, ExitCode, Interrupted, UsageError
from assay.interfaces.cli.commands import COMMAND_GROUPS, COMMANDS, load_command
from assay.interfaces.cli.output import Explained, language_option, say, settle_streams
from assay.messages import CATALOGUES, LANGUAGES_OFFERED, fill, labelled, speak, tr

Run = Callable[[list[str]], int | None]


class _Commands(Explained, click.Group):
    """Finds commands in the table; suggests the nearest for a misspelt one."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return load_command(cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One section for each group of commands."""
        for title, commands in COMMAND_GROUPS.items():
            with formatter.section(fill(title, {})):
                rows = [(name, fill(summary, {})) for name, (_, summary) in commands.items()]
                formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from rapidfuzz import process

            near = process.extractOne(args[0], list(COMMANDS), score_cutoff=60)
            sentence = tr("there is no command {name!r}", name=args[0])
            if near:
                sentence += tr("; did you mean {near!r}?", near=near[0])
            raise click.UsageError(sentence, ctx)
        return super().resolve_command(ctx, args)


def group() -> click.Group:
    """The command line as click sees it, in the language chosen."""
    commands = _Commands(
        name="assay",
        help=tr(
            "Assay decides whether a small language model is good enough, and shows why.\n\n"
            "Without a command, in a terminal, it shows what is available and asks what to do."
        ),
        epilog="assay\nassay demo\nassay run ollama:llama3.2:3b -s example\n"
        "assay validate my-tests/\nassay compare RUN RUN",
        context_settings={"help_option_names": ["-h", "--help"]},
        no_args_is_help=True,
    )
    return click.version_option(assay.__version__, prog_name="assay")(language_option(commands))


def main(arguments: Sequence[str] | None = None, *, catalogues: Path = CATALOGUES) -> None:
    """Run a command and end the process with its exit code. `catalogues`: of translations."""
    end_with("assay", _from_door_or_words, arguments, catalogues=catalogues)


def end_with(
    program: str,
    run: Run,
    arguments: Sequence[str] | None = None,
    *,
    catalogues: Path = CATALOGUES,
) -> None:
    """Run what these words ask for and end the process with the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    code = run_to_exit_code(program, run, words, catalogues=catalogues)
    settle_streams()
    if code == ExitCode.INTERRUPTED:
        # A Ctrl-C that came while Python evaluated a text (a dataclass being made, say) marks the
        # interpreter, and sys.exit would then end it by the signal instead of with our code.
        os._exit(code)
    sys.exit(code)


def run_to_exit_code(
    program: str, run: Run, words: list[str], *, catalogues: Path = CATALOGUES
) -> int:
    """Run what these words ask for and return the exit code; every error becomes words here."""
    # Model output holds anything; a console that cannot show a character must not end a run.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    speak_as_asked(words, catalogues)
    signal.signal(signal.SIGTERM, _stop)
    try:
        _refuse_what_is_no_text(words)
        code = run(list(words))
        if sys.stdout:
            sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as asked:
        click.echo(asked.ctx.get_help() if asked.ctx else "")
        code = ExitCode.DONE
    except click.exceptions.Exit as ended:
        code = ended.exit_code
    except click.ClickException as error:
        name = next((word for word in words if word in COMMANDS and program == "assay"), None)
        what = f"{program} {name}" if name else program
        hint = tr("see `{command} --help`", command=what)
        code = _show(UsageError(error.format_message(), hint=hint), words)
    except AssayError as error:
        code = _show(error, words)
    except (KeyboardInterrupt, click.Abort):
        said = tr("every answer that was counted is kept")
        hint = tr("the same command starts or continues")
        code = _show(Interrupted(said, hint=hint), words)
    except BrokenPipeError:
        code = ExitCode.DONE
    except OSError as error:  # of the screen, pipe or file: files and the store have their own
        settle_streams()
        said = tr("cannot write the output: {why}", why=error.strerror or str(error))
        hint = tr("write to a disk with free space; all answers are safe in the store")
        code = _show(Interrupted(said, hint=hint), words)
    # A mistake of ours is no failed gate, and what was counted is safe.
    except Exception as error:  # noqa: BLE001
        say(traceback.format_exc())
        kind = type(error).__name__
        said = tr("a mistake in Assay: {kind}: {error}", kind=kind, error=error)
        hint = tr("please report it with the lines above; the same command continues")
        code = _show(Interrupted(said, hint=hint), words)
    return int(code or 0)


def run_words(arguments: Sequence[str]) -> int:
    """Run `assay` with these words and return its exit code; the process goes on."""
    return run_to_exit_code("assay", _from_door_or_words, list(arguments))


def _from_door_or_words(words: list[str]) -> int | None:
    if not words and _is_terminal(sys.stdin) and _is_terminal(sys.stdout):
        from assay.interfaces.cli.front_door.door import open_front_door

        return open_front_door(Path("assay-out"))
    return invoked(group(), "assay", words)


def invoked(command: click.Command, program: str, words: list[str]) -> int | None:
    """Not by click's own main: it ends with 1, a failed gate to us, when a reader goes away."""
    with command.make_context(program, words) as context:
        code: int | None = command.invoke(context)
    return code


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def _refuse_what_is_no_text(words: Sequence[str]) -> None:
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError as error:
            raise UsageError(
                tr("the argument {word!r} is not valid UTF-8", word=word),
                hint=tr("rename the file, or set a UTF-8 locale"),
            ) from error


def chosen_language(words: Sequence[str]) -> str:
    """Known before anything is said: help texts are translated while commands are loaded."""
    for word, following in itertools.pairwise([*words, ""]):
        value = word.partition("=")[2] if word.startswith("--lang=") else following
        if word.partition("=")[0] == "--lang" and value in LANGUAGES_OFFERED:
            return value
    # As programs choose it; French wherever it is spoken: fr_FR.UTF-8, fr_TG, fr.
    settings = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    locale = next(filter(None, settings), "en")
    return next((known for known in LANGUAGES_OFFERED if locale.startswith(known)), "en")


def speak_as_asked(words: Sequence[str], catalogues: Path = CATALOGUES) -> None:
    """Click's own words come from the same catalogue, by the domain of the process."""
    language = chosen_language(words)
    if not speak(language, catalogues):
        file = catalogues / language / "LC_MESSAGES" / "assay.mo"
        say(tr("warning: {file} is damaged, so this is in English; install Assay again", file=file))
    elif language != "en":
        os.environ["LANGUAGE"] = language
        gettext.bindtextdomain("assay", catalogues)
        gettext.textdomain("assay")


def _stop(number: int, frame: FrameType | None) -> None:
    """A polite kill is a Ctrl-C: clean, and resumable."""
    raise KeyboardInterrupt


def _show(error: AssayError, words: Sequence[str]) -> ExitCode:
    code, findings = error.exit_code, [*map(str, error.findings)]
    if "--json" in words:
        message = "\n".join((error.message, *findings))
        document = {"error": {"message": message, "hint": error.hint}, "exit_code": int(code)}
        try:
            click.echo(json.dumps(document))
        except OSError:
            settle_streams()  # what could not take the output cannot take the error either
        return code
    label = tr("stopped") if code == ExitCode.INTERRUPTED else tr("error")
    for line in (*findings, *(labelled(label, line) for line in error.message.splitlines())):
        say(line)
    for line in error.hint.splitlines():
        say(tr("next: {hint}", hint=line))
    return code
