"""Processes one part, for every engine: read, process, write under a temporary name, rename, mark as done."""

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import Field, asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

import pyarrow as pa

from openmeva.metrics.core.inputs import HaltedError, RowError
from openmeva.training.files import write_table, write_text
from openmeva.training.scale.folder import Folder
from openmeva.training.scale.parts import NUMBER, WHERE, BadRow

_OTHER_SIGNATURE = (
    "expected the signature of the run's first part, {known}, got {signature}: use a new folder for other weights or "
    "libraries; machines of different kinds agree with --dtype float32"
)
_KILLED_WORKERS = (
    "part {} (rows {} to {}) killed its worker {} times; fewer --part-rows or a smaller --batch-size may help"
)
MAX_TRIES = 3
"""Number of workers that a part may kill before the run ends."""
Columns = Mapping[str, Sequence[Any]]


class Operation(Protocol):
    """An operation on batches of stories.

    Attributes:
        signature: identifies everything that the result depends on.
    """

    signature: str

    @property
    def schema(self) -> pa.Schema | None:
        """Schema of the rows that replace those of the batch; None if it adds columns to them."""

    def check(self, batch: Columns) -> dict[int, str]:
        """Reasons why rows of a batch cannot be processed, by index, checking each row by itself, in one pass."""

    def __call__(self, batch: Columns) -> dict[str, list[Any]]:
        """The columns that it adds, or those of its own rows.

        Raises:
            RowError: a row cannot be processed.
            ValueError: the same, but the row is not known: it is searched for.
        """


class Work(Protocol):
    """Settings of an operation: a dataclass that is sent to the workers.

    Attributes:
        of_stories: whether it reads stories as in training, without special tokens for line breaks, or texts unchanged.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    of_stories: ClassVar[bool] = False

    def check(self, here: bool) -> None:
        """Refuses invalid settings, as far as possible without weights and rows.

        Args:
            here: whether the operation runs in this process, not where other devices may be available.

        Raises:
            ValueError: an invalid setting.
            FileNotFoundError: a required file or knowledge source is missing.
        """

    def start(self, fields: Sequence[str], in_story: bool) -> Operation:
        """The operation with loaded weights, for rows that have these fields in addition to `story`."""


@dataclass(frozen=True)
class PartResult:
    """The outcome of a part.

    Attributes:
        part: its number.
        scored, bad: number of rows that were processed, and of skipped rows.
        seconds: time from the first byte read to the last one written.
        inside: part of this time spent in the operation.
        signature: identifies everything that the result depends on.
        fault: why the part failed; empty if it did not.
    """

    part: int
    scored: int = 0
    bad: int = 0
    seconds: float = 0.0
    inside: float = 0.0
    signature: str = ""
    fault: str = ""


class PartWorker:
    """Produces parts of the output, one per call; a function for `ray.data.Dataset.map_batches`.

    Args:
        out: the run's folder.
        work: settings of the operation.
        keep: whether rows that cannot be processed are skipped and recorded; otherwise they are faults.
        threads: number of torch threads.
    """

    def __init__(self, out: str, work: Work, keep: bool, threads: int) -> None:
        self.folder, self.keep, self.fault = Folder(Path(out)), keep, ""
        try:
            summary = self.folder.parts.summary()
            if summary is None:
                raise ValueError(f"{out}: the input's parts are not there; every node must see this folder")
            self.operation = work.start(summary.fields, summary.in_story and "context" in summary.fields)
            _limit_threads(threads)
        # reported by the first part, because Ray would restart an actor that cannot start forever
        except ValueError as error:
            self.fault = str(error)
        except _resource_errors() as error:
            self.fault = str(error) or type(error).__name__

    def __call__(self, batch: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        """The outcome of the parts whose numbers are in the column `part`."""
        results = [asdict(self.make(int(number))) for number in batch["part"]]
        return {name: [result[name] for result in results] for name in results[0]}

    def make(self, number: int) -> PartResult:
        """Produces a part, unless it is done."""
        if self.fault:
            return PartResult(number, fault=self.fault)
        try:
            return self._process(number)
        except (*_resource_errors(), pa.ArrowException) as error:  # of which some are a ValueError
            return PartResult(number, fault=f"part {number}: {error or type(error).__name__}")
        except ValueError as error:
            return PartResult(number, fault=str(error))

    def _process(self, number: int) -> PartResult:
        marker = self.folder.read_marker(number)
        if marker is not None:  # by an actor that was lost before it could report
            return PartResult(**marker)
        if self.folder.count_try(number) >= MAX_TRIES:
            rows = self.folder.parts.read(number)[NUMBER]
            return PartResult(number, fault=_KILLED_WORKERS.format(number, rows[0], rows[-1], MAX_TRIES))
        start = time.perf_counter()
        table = self.folder.parts.read(number)
        added, reasons, inside = self._apply(table)
        signature = self.operation.signature
        if (first_signature := self.folder.first_signature(signature)) != signature:
            return PartResult(
                number, fault=_OTHER_SIGNATURE.format(known=first_signature, signature=signature)
            )
        rows = table.select([NUMBER, WHERE]).to_pylist()
        bad = [
            BadRow(rows[index][NUMBER], rows[index][WHERE], reason, _values(table, index))
            for index, reason in sorted(reasons.items())
        ]
        if bad and not self.keep:
            return PartResult(number, bad=len(bad), fault=f"{bad[0].where}: {bad[0].reason}")
        valid = [index for index in range(len(rows)) if index not in reasons]
        result = self._result(table.drop_columns([NUMBER, WHERE]).take(pa.array(valid, pa.int64())), added)
        write_text(self.folder.bad_file(number), "".join(row.line() for row in bad))
        write_table(self.folder.result(number), result)
        seconds = time.perf_counter() - start
        done = PartResult(number, len(valid), len(bad), seconds, inside, signature)
        self.folder.mark_done(number, asdict(done))
        return done

    def _result(self, valid: pa.Table, added: Mapping[str, Sequence[Any]]) -> pa.Table:
        """The output table for the rows that could be processed."""
        if (schema := self.operation.schema) is not None:
            return pa.table({name: added.get(name, []) for name in schema.names}, schema)
        for name, values in added.items():
            valid = valid.append_column(name, _array(name, values))
        return valid

    def _apply(self, table: pa.Table) -> tuple[dict[str, list[Any]], dict[int, str], float]:
        """The columns added to the rows that can be processed, why the others cannot, by index, and the operation's seconds."""
        columns = table.drop_columns([WHERE]).to_pydict()
        reasons = self.operation.check(columns)
        valid = [index for index in range(table.num_rows) if index not in reasons]
        batch = _rows(columns, valid)
        start = time.perf_counter()
        added, rejected = apply_to_valid_rows(self.operation, batch)
        inside = time.perf_counter() - start
        return added, reasons | {valid[index]: reason for index, reason in rejected.items()}, inside


def apply_to_valid_rows(
    operation: Operation, columns: Columns
) -> tuple[dict[str, list[Any]], dict[int, str]]:
    """The columns that an operation adds to the rows that it accepts, and why it refuses the others, by index.

    After a refusal, the remaining rows are tried again. The refused row is the one that the error names, if it is also
    refused alone; otherwise it is found by bisection.
    """
    indices = list(range(len(next(iter(columns.values())))))
    reasons: dict[int, str] = {}
    while indices:
        try:
            return operation(_rows(columns, indices)), reasons
        except HaltedError:
            raise
        except ValueError as error:
            index, refusal = _refused_row(operation, columns, indices, error)
            reasons[index] = _reason(refusal)
            indices.remove(index)
    return {}, reasons


def _refused_row(
    operation: Operation, columns: Columns, indices: Sequence[int], error: ValueError
) -> tuple[int, ValueError]:
    """The index of a refused row, and the error for it.

    Args:
        operation, columns: as in `apply_to_valid_rows`.
        indices: of rows that are refused together.
        error: raised for them.

    Raises:
        ValueError: `error`, if it names no row, and no row is refused alone.
    """
    named = indices[error.row] if isinstance(error, RowError) and error.row < len(indices) else None
    if named is not None and (alone := _refusal(operation, columns, [named])):
        return named, alone
    while len(indices) > 1:
        half = len(indices) // 2
        first, second = indices[:half], indices[half:]
        indices = first if _refusal(operation, columns, first) else second
    if alone := _refusal(operation, columns, indices):
        return indices[0], alone
    if named is None:
        raise error
    return named, error  # it is refused only together with others


def _refusal(operation: Operation, columns: Columns, indices: Sequence[int]) -> ValueError | None:
    """Why rows are refused; None if they are accepted."""
    try:
        operation(_rows(columns, indices))
    except HaltedError:
        raise
    except ValueError as error:
        return error
    return None


def _reason(error: ValueError) -> str:
    """The message without the row of the batch, but with the name of a column other than the stories.

    >>> _reason(RowError("contexts", 3, "expected a string")), _reason(RowError("predictions", 0, "expected a text"))
    ('contexts: expected a string', 'expected a text')
    """
    if isinstance(error, RowError):
        return error.without_row()
    return str(error) or type(error).__name__


def _rows(columns: Columns, indices: Sequence[int]) -> dict[str, list[Any]]:
    return {name: [values[index] for index in indices] for name, values in columns.items()}


def _values(table: pa.Table, index: int) -> dict[str, Any]:
    row: dict[str, Any] = table.drop_columns([NUMBER, WHERE]).slice(index, 1).to_pylist()[0]
    return row


def _array(name: str, values: Sequence[Any]) -> pa.Array:
    """A column of the output; a column of warnings without any value still has type string."""
    column = pa.array(values)
    return column.cast(pa.string()) if pa.types.is_null(column.type) and name.endswith("warning") else column


def _resource_errors() -> tuple[type[Exception], ...]:
    """Errors that no row causes and no retry fixes: a full disk, or too little memory, including GPU memory."""
    torch = sys.modules.get("torch")
    return (OSError, MemoryError, *((torch.OutOfMemoryError,) if torch else ()))


def _limit_threads(threads: int) -> None:
    """Limits torch's threads, so that workers on one machine do not compete for cores; does nothing without torch."""
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(threads)
