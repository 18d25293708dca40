"""A report on the user's own metrics: one HTML page with its figures embedded, Markdown, LaTeX and JSON."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import jinja2

from openmeva.metrics.core.version import __version__
from openmeva.training.benchmark.own.parts import Section, all_sections
from openmeva.training.benchmark.results.titles import OWN
from openmeva.training.benchmark.tables.render import plain, to_latex, to_markdown
from openmeva.training.files import atomic_replace, write_text

_HERE = Path(__file__).parent
_KINDS = ("judged", "preferences", "autos")


@dataclass(frozen=True)
class Report:
    """Results and their renderings.

    Attributes:
        results: every number, as in `report.json`: `judged`, `preferences` and `autos` by set, `settings`, `origins`.
        published: the results printed in the papers.
    """

    results: Mapping[str, Any]
    published: Mapping[str, Any]

    @cached_property
    def parts(self) -> list[Section]:
        """The sections, with their tables and figures; figures have unique names."""
        parts = list(all_sections(self.results, self.published))
        used: set[str] = set()
        for part in parts:
            for index, picture in enumerate(part.pictures):
                name = next(candidate for candidate in _numbered(picture.name) if candidate not in used)
                used.add(name)
                part.pictures[index] = replace(picture, name=name)
        return parts

    @property
    def metrics(self) -> list[str]:
        """Titles of the user's metrics."""
        sets = [result for kind in _KINDS for result in self.results[kind].values()]
        rows = [(title, row) for result in sets for title, row in result["rows"].items()]
        return list(dict.fromkeys(title for title, row in rows if row["kind"] == OWN))

    def write(self, folder: str | Path) -> Path:
        """Writes `report.html`, `report.md` (with `figures/`), `report.tex` and `report.json`; returns the HTML path."""
        out = Path(folder)
        texts = {  # rendered before any file is replaced, so that all files are of one run
            "json": json.dumps(self.results, indent=1, ensure_ascii=False, allow_nan=False) + "\n",
            "md": self.markdown(),
            "tex": self.latex(),
            "html": self.html(),
        }
        (out / "figures").mkdir(parents=True, exist_ok=True)
        for part in self.parts:
            for picture in part.pictures:
                with atomic_replace(out / "figures" / f"{picture.name}.png") as temporary:
                    temporary.write_bytes(picture.png)
        for ending, text in texts.items():
            write_text(out / f"report.{ending}", text)
        return out / "report.html"

    def html(self) -> str:
        """One self-contained page, with light and dark mode."""
        return (
            _templates()
            .get_template("page.html")
            .render(
                title=self._title(),
                lead=f"Measured with openmeva {__version__}. {_READING}",
                css=(_HERE / "page.css").read_text(encoding="utf-8"),
                parts=self.parts,
                own=self.metrics,
            )
        )

    def markdown(self) -> str:
        """Markdown for a repository: figures by path, examples as quotations."""
        lines = [f"# {plain(self._title())}", "", f"Measured with openmeva {__version__}. {_READING}", ""]
        for part in self.parts:
            lines += [f"## {plain(part.title)}", ""]
            lines += [line for text in part.paragraphs for line in (plain(text), "")]
            for picture in part.pictures:
                caption = plain(picture.caption)
                alternative = re.sub(r"[\[\]]", r"\\\g<0>", caption)
                lines += [f"![{alternative}](figures/{picture.name}.png)", "", caption, ""]
            lines += [to_markdown(table) for table in part.tables]
            for example in part.examples:
                lines += [f"**{plain(example.heading)}**", ""]
                texts = [example.prompt, example.story] if example.prompt else [example.story]
                lines += [line for text in texts for line in (f"> {plain(' '.join(text.split()))}", "")]
        return "\n".join(lines)

    def latex(self) -> str:
        """The tables with booktabs rules, for use in a paper."""
        head = "% \\usepackage{booktabs}, \\usepackage[T1]{fontenc}; wide tables: \\usepackage{graphicx} and \\resizebox\n"
        return head + "\n".join(to_latex(table) for part in self.parts for table in part.tables)

    def _title(self) -> str:
        return f"{_listed(self.metrics)}: does it agree with people?"


_READING = "Higher is better unless stated otherwise; intervals are 95 % intervals."


def sections_html(parts: Iterable[Section], own: Iterable[str]) -> list[str]:
    """Each part as HTML, without the surrounding page."""
    template = _templates().get_template("part.html")
    return [template.render(part=part, own=list(own)) for part in parts]


def _templates() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE),
        autoescape=True,
        trim_blocks=True,
        undefined=jinja2.StrictUndefined,
    )


def _numbered(name: str) -> Iterator[str]:
    """A name as it is, then with the suffix 2, 3, …"""
    return itertools.chain([name], (f"{name}_{number}" for number in itertools.count(2)))


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
