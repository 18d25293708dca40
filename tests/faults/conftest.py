"""The table that `make faults` prints."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest


@dataclass
class Row:
    """Results of a case: how often the result equaled that of an undisturbed run, differed, or was an error."""

    case: str
    identical: int = 0
    different: int = 0
    error: int = 0

    @property
    def moments(self) -> int:
        return self.identical + self.different + self.error

    def __str__(self) -> str:
        return f"| {self.case} | {self.moments} | {self.identical} | {self.different} | {self.error} |"


ROWS: list[Row] = []


@pytest.fixture
def row(request: pytest.FixtureRequest) -> Iterator[Row]:
    """The row of the requesting test, printed as soon as it is filled, since the tests are slow."""
    ROWS.append(Row(request.node.name.removeprefix("test_").replace("_", " ")))
    yield ROWS[-1]
    request.config.get_terminal_writer().line(f"\n{ROWS[-1]}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not ROWS:
        return
    terminalreporter.write_line(
        "| case | moments tried | identical | different | error |\n|---|---|---|---|---|"
    )
    for result in ROWS:
        terminalreporter.write_line(str(result))
