"""The work on one part, the same for every engine: read, work, write under a temporary name, rename, mark as done."""

import re
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import Field, asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

import pyarrow as pa

from openmeva.metrics.core.command import field_of
from openmeva.metrics.core.inputs import HaltedError
from openmeva.training.files import write_text
from openmeva.training.scale.folder import Folder
from openmeva.training.scale.parts import NUMBER, WHERE, BadRow
from openmeva.training.stages import write_table

_NAMED = re.compile(r"\brow (\d+)\b")
_OTHER = (
    "expected the signature of the run's first part, {known}, got {signature}: other weights or libraries want another "
    "folder; machines of other kinds score alike with --dtype float32"
)
_KILLING = (
    "part {} (rows {} to {}) killed its worker {} times; fewer --part-rows or a smaller --batch-size may help"
)
MOST_TRIES = 3
"""Of a part, by workers that are lost over it."""
Columns = Mapping[str, Sequence[Any]]


class Operation(Protocol):
    """What is done to batches of stories.

    Attributes:
        signature: what the result depends on.
        seconds: that it has taken so far.
    """

    signature: str
    seconds: float

    @property
    def schema(self) -> pa.Schema | None:
        """Of rows that it makes in place of the batch's; None where it adds columns to those."""

    def check(self, batch: Columns) -> dict[int, str]:
        """Why rows of a batch cannot be worked on, by place, as far as each tells by itself; for all in one pass."""

    def __call__(self, batch: Columns) -> dict[str, list[Any]]:
        """The columns that it adds to a batch, or of its own rows; a ValueError where a row cannot be worked on."""


class Work(Protocol):
    """Settings of an operation, a dataclass, which travel to where it is done.

    Attributes:
        of_stories: whether it reads stories as trainings do, without marks of line breaks, not texts as they are.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    of_stories: ClassVar[bool] = False

    def check(self, here: bool) -> None:
        """Refuses settings that cannot serve, as far as can be told without weights and rows.

        Args:
            here: whether the operation is done in this process, not where other devices may be.

        Raises:
            ValueError: what is wrong with them.
            FileNotFoundError: a file or knowledge that it needs.
        """

    def start(self, fields: Sequence[str], in_story: bool) -> Operation:
        """The operation, with its weights loaded, for rows that have these fields beside `story`."""


@dataclass(frozen=True)
class Done:
    """What became of a part.

    Attributes:
        part: its number.
        scored, bad: rows in its file, and rows left out.
        seconds: from its first byte read to its last one written.
        inside: seconds of them in the operation.
        signature: what the result depends on.
        fault: why it could not be made; empty where it was.
    """

    part: int
    scored: int = 0
    bad: int = 0
    seconds: float = 0.0
    inside: float = 0.0
    signature: str = ""
    fault: str = ""


class PartWorker:
    """Makes parts of the output, one a call; a function for `ray.data.Dataset.map_batches`.

    Args:
        out: the run's folder.
        work: what is done.
        keep: whether rows that cannot be worked on are left out and noted; else they are faults.
        threads: of torch.
    """

    def __init__(self, out: str, work: Work, keep: bool, threads: int) -> None:
        self.folder, self.keep, self.fault = Folder(Path(out)), keep, ""
        try:
            facts = self.folder.parts.facts()
            if facts is None:
                raise ValueError(f"{out}: the input's parts are not there; every node must see this folder")
            self.fields = facts.fields
            self.operation = work.start(facts.fields, facts.in_story and "context" in facts.fields)
            _limit_threads(threads)
        # told by the first part: an actor that cannot start is tried for ever
        except ValueError as error:
            self.fault = str(error)
        except _exhausted() as error:
            self.fault = str(error) or type(error).__name__

    def __call__(self, batch: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        """What became of the parts whose numbers are in the column `part`."""
        done = [asdict(self.make(int(number))) for number in batch["part"]]
        return {name: [one[name] for one in done] for name in done[0]}

    def make(self, number: int) -> Done:
        """Makes a part, unless that is done."""
        if self.fault:
            return Done(number, fault=self.fault)
        try:
            return self._made(number)
        except ValueError as error:
            return Done(number, fault=str(error))
        except _exhausted() as error:
            return Done(number, fault=f"part {number}: {error or type(error).__name__}")

    def _made(self, number: int) -> Done:
        found = self.folder.done(number)
        if found is not None:  # by an actor that was lost before it could say so
            return Done(**found)
        if self.folder.tried(number) >= MOST_TRIES:
            rows = self.folder.parts.read(number)[NUMBER]
            return Done(number, fault=_KILLING.format(number, rows[0], rows[-1], MOST_TRIES))
        begun, inside = time.perf_counter(), self.operation.seconds
        table = self.folder.parts.read(number)
        added, reasons = self._work(table)
        signature = self.operation.signature
        if (known := self.folder.signed(signature)) != signature:
            return Done(number, fault=_OTHER.format(known=known, signature=signature))
        rows = table.select([NUMBER, WHERE]).to_pylist()
        bad = [
            BadRow(rows[place][NUMBER], rows[place][WHERE], reason, _values(table, place))
            for place, reason in sorted(reasons.items())
        ]
        if bad and not self.keep:
            return Done(number, bad=len(bad), fault=f"{bad[0].where}: {bad[0].reason}")
        good = [place for place in range(len(rows)) if place not in reasons]
        result = self._result(table.drop_columns([NUMBER, WHERE]).take(pa.array(good, pa.int64())), added)
        write_text(self.folder.bad_file(number), "".join(row.line() for row in bad))
        write_table(self.folder.result(number), result)
        seconds = time.perf_counter() - begun
        done = Done(number, len(good), len(bad), seconds, self.operation.seconds - inside, signature)
        self.folder.mark(number, asdict(done))
        return done

    def _result(self, good: pa.Table, added: Mapping[str, Sequence[Any]]) -> pa.Table:
        """What is written of the rows that could be worked on."""
        if (schema := self.operation.schema) is not None:
            return pa.table({name: added.get(name, []) for name in schema.names}, schema)
        for name, values in added.items():
            good = good.append_column(name, _array(name, values))
        return good

    def _work(self, table: pa.Table) -> tuple[dict[str, list[Any]], dict[int, str]]:
        """The columns added to the rows that can be worked on, and why the others cannot, by place."""
        columns = table.drop_columns([WHERE]).to_pydict()
        rows = table.to_pylist() if self.fields else []
        reasons = {
            place: f"expected {name!r}, which other rows have"
            for name in reversed(self.fields)
            for place, row in enumerate(rows)
            if field_of(row, name) is None
        }
        good = [place for place in range(table.num_rows) if place not in reasons]
        refused = self.operation.check(_rows(columns, good))
        reasons |= {good[place]: reason for place, reason in refused.items()}
        good = [place for place in good if place not in reasons]
        added, refused = apply(self.operation, _rows(columns, good))
        return added, reasons | {good[place]: reason for place, reason in refused.items()}


def apply(operation: Operation, columns: Columns) -> tuple[dict[str, list[Any]], dict[int, str]]:
    """The columns that an operation adds to the rows that it takes, and why it refuses the others, by place.

    A row that is refused costs the others nothing but another try: it is the one that the error names, where that
    holds for it alone, else it is looked for by halves.
    """
    places = list(range(len(next(iter(columns.values())))))
    reasons: dict[int, str] = {}
    while places:
        try:
            return operation(_rows(columns, places)), reasons
        except HaltedError:
            raise
        except ValueError as error:
            place = _culprit(operation, columns, places, error)
            reason = _refusal(operation, columns, [place])
            if not reason:  # it is refused beside others alone
                named = _named(error, places)
                if named is None:
                    raise
                place, reason = named, str(error)
            reasons[place] = re.sub(r"^(\w+, )?row \d+: ", "", reason)
            places.remove(place)
    return {}, reasons


def _culprit(operation: Operation, columns: Columns, places: Sequence[int], error: ValueError) -> int:
    """The place of a row that is refused, perhaps not by itself."""
    named = _named(error, places)
    if named is not None and _refusal(operation, columns, [named]):
        return named
    while len(places) > 1:
        half = len(places) // 2
        first, second = places[:half], places[half:]
        places = first if _refusal(operation, columns, first) else second
    return places[0]


def _named(error: ValueError, places: Sequence[int]) -> int | None:
    """The place of the row that an error names; None where it names none."""
    found = _NAMED.search(str(error))
    return places[int(found[1])] if found and int(found[1]) < len(places) else None


def _refusal(operation: Operation, columns: Columns, places: Sequence[int]) -> str:
    """Why rows are refused; empty where they are not."""
    try:
        operation(_rows(columns, places))
    except HaltedError:
        raise
    except ValueError as error:
        return str(error) or type(error).__name__
    return ""


def _rows(columns: Columns, places: Sequence[int]) -> dict[str, list[Any]]:
    return {name: [values[place] for place in places] for name, values in columns.items()}


def _values(table: pa.Table, place: int) -> dict[str, Any]:
    row: dict[str, Any] = table.drop_columns([NUMBER, WHERE]).slice(place, 1).to_pylist()[0]
    return row


def _array(name: str, values: Sequence[Any]) -> pa.Array:
    """A column of the output; texts that no row of a part has are texts still."""
    found = pa.array(values)
    return found.cast(pa.string()) if pa.types.is_null(found.type) and name.endswith("warning") else found


def _exhausted() -> tuple[type[Exception], ...]:
    """What is no fault of a row, nor mended by another try: a full disk, or too little memory, a GPU's too."""
    torch = sys.modules.get("torch")
    return (OSError, MemoryError, *((torch.OutOfMemoryError,) if torch else ()))


def _limit_threads(threads: int) -> None:
    """So that workers on one machine do not wait for each other's cores; for work that has no use for torch, nothing."""
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(threads)
