"""The file: opened, made, locked and written all or nothing; its errors in our words."""

import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assay.errors import (
    AssayError,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreNotWritable,
    StoreVersionError,
)
from assay.messages import tr

VERSION = 10
BUSY_TIMEOUT_S = 30.0
SCHEMA = Path(__file__).with_name("schema.sql")
# What SQLite answers where a file system has no shared memory or no locks, as over a network.
NO_SHARED_MEMORY = ("SQLITE_PROTOCOL", "SQLITE_IOERR_SHMOPEN", "SQLITE_IOERR_SHMMAP")


class Database:
    """One SQLite file of ours. `notes` hold what a user should know about it."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self.notes: list[str] = []
        self._read_only = read_only
        self._copy: tempfile.TemporaryDirectory[str] | None = None
        try:
            self._open(path)
        except StoreNotWritable:
            if not read_only:
                raise
            self._open_to_read(path)

    def close(self) -> None:
        self.connection.close()
        if self._copy:
            self._copy.cleanup()

    def _open(self, path: Path) -> None:
        with translated(self.path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self.connection = sqlite3.connect(path, isolation_level=None, timeout=BUSY_TIMEOUT_S)
            self.connection.row_factory = sqlite3.Row
            try:
                self._prepare()
            except BaseException:
                self.connection.close()
                raise

    def _open_to_read(self, path: Path) -> None:
        """SQLite wants to write beside the file even to read it: a copy is read, log included."""
        with translated(path):
            self._copy = tempfile.TemporaryDirectory()
            copy = Path(self._copy.name) / path.name
            for suffix in ("", "-wal"):
                part = path.with_name(path.name + suffix)
                if part.is_file():
                    shutil.copyfile(part, copy.with_name(copy.name + suffix))
        self._open(copy)

    def one(self, sql: str, values: Sequence[object] = ()) -> Any:
        with translated(self.path):
            return self.connection.execute(sql, values).fetchone()

    def all(self, sql: str, values: Sequence[object] = ()) -> list[Any]:
        with translated(self.path):
            return self.connection.execute(sql, values).fetchall()

    def each(self, sql: str, values: Sequence[object] = ()) -> Iterator[Any]:
        """Every row, one after another: a hundred thousand replies need not fit into memory."""
        with translated(self.path):
            yield from self.connection.execute(sql, values)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """All or nothing, also when Ctrl-C or a full disk comes in between."""
        with translated(self.path):
            try:
                self.connection.execute("BEGIN IMMEDIATE")
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise

    def write_derived(self, write: Callable[[], None]) -> None:
        """Let `write` store what follows from the rest, also where the file is opened to be read;
        a folder that cannot be written gets a copy.
        """
        try:
            self._write_derived(write)
        except StoreNotWritable:
            if not self._read_only or self._copy:
                raise
            self.connection.close()
            self._open_to_read(self.path)
            self._write_derived(write)

    def _write_derived(self, write: Callable[[], None]) -> None:
        self.connection.execute("PRAGMA query_only = OFF")
        try:
            write()
        finally:
            self.connection.execute(f"PRAGMA query_only = {'ON' if self._read_only else 'OFF'}")

    def _prepare(self) -> None:
        version = self._version()
        if version == 0:
            self._refuse_another_programs_file()
        elif version != VERSION:
            raise StoreVersionError(
                tr(
                    "{path} was written by another version of Assay (store version {theirs}, this "
                    "one reads {ours})",
                    path=self.path,
                    theirs=version,
                    ours=VERSION,
                ),
                hint=tr("choose another folder with --out, or delete this file with its answers"),
            )
        self.connection.execute("PRAGMA foreign_keys = ON")
        mode = prefer_write_ahead_log(self.connection)
        if mode != "wal":
            self.notes.append(
                tr(
                    "the file system of {path} cannot keep a write-ahead log; the store uses "
                    "journal mode {mode}, which is safe and slower",
                    path=self.path,
                    mode=mode,
                )
            )
        if version == 0:
            self._create_tables()
        if self._read_only:
            self.connection.execute("PRAGMA query_only = ON")

    def _refuse_another_programs_file(self) -> None:
        """One with tables and no version of ours is somebody else's, and is not touched."""
        tables = self.connection.execute("SELECT name FROM sqlite_master LIMIT 1").fetchone()
        if tables and self._version() == 0:
            raise StoreCorrupt(
                tr("{path} is the database of another program", path=self.path),
                hint=tr("choose another folder with --out"),
            )
        if self._read_only:
            raise StoreCorrupt(
                tr("{path} holds no store yet", path=self.path),
                hint=tr("run something first, or name the folder with --out"),
            )

    def _create_tables(self) -> None:
        """Make the tables, all or none. Of two processes the second finds it done."""
        with self.writing() as connection:
            if self._version():
                return
            for statement in statements_of(SCHEMA.read_text("utf-8")):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {VERSION}")

    def _version(self) -> int:
        return int(self.connection.execute("PRAGMA user_version").fetchone()[0])


def statements_of(script: str) -> Iterator[str]:
    """Yield them one by one: sqlite3's own executescript would commit first."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def prefer_write_ahead_log(connection: sqlite3.Connection) -> str:
    """Readers beside a writer, where the file system allows it; returns the journal mode."""
    try:
        mode = str(connection.execute("PRAGMA journal_mode = WAL").fetchone()[0])
    except sqlite3.OperationalError as error:
        if error.sqlite_errorname not in NO_SHARED_MEMORY:
            raise
        mode = str(connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0])
    if mode == "wal":
        connection.execute("PRAGMA synchronous = NORMAL")
    return mode


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """SQLite's and the system's words become ours here and nowhere else."""
    try:
        yield
    except sqlite3.Error as error:
        raise _store_error(error, path) from error
    except OSError as error:
        raise StoreNotWritable(
            tr("cannot use the folder {path}: {why}", path=path.parent, why=error.strerror),
            hint=tr("choose a folder you can write to with --out"),
        ) from error


def _store_error(error: sqlite3.Error, path: Path) -> AssayError:
    name = getattr(error, "sqlite_errorname", "") or ""
    if name.startswith(("SQLITE_FULL", "SQLITE_IOERR")):
        return StoreFull(
            tr("{path} cannot be read or written: {why}", path=path, why=error),
            hint=tr("make room on the disk; the same command then continues where it stopped"),
        )
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
        return StoreNotWritable(
            tr("cannot write {path}: {why}", path=path, why=error),
            hint=tr("choose a folder you can write to with --out"),
        )
    if name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")) or "no such " in str(error):
        return StoreCorrupt(
            tr("{path} is not a store, or it is damaged: {why}", path=path, why=error),
            hint=tr("move it away, or choose another folder with --out"),
        )
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StoreError(
            tr("another process holds {path} and does not let go", path=path),
            hint=tr("wait for it, or choose another folder with --out"),
        )
    return StoreError(
        tr("the store {path} failed: {why}", path=path, why=error),
        hint=tr("please report this, with the command that led to it"),
    )
