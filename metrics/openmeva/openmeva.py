"""OpenMEVA: a benchmark that evaluates metrics for stories, from one score per story."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import datasets
import evaluate
import numpy as np
import scipy

from openmeva.metrics.core.inputs import as_list, check_lengths, check_options, parse_number
from openmeva.metrics.core.lock import ModuleLock
from openmeva.metrics.core.version import __version__
from openmeva.metrics.openmeva.autos import MAX_DRAWS, aspect_tables, check_rows, overall_correlation
from openmeva.metrics.openmeva.judged import JudgedStories, check_predictions, is_single_number
from openmeva.metrics.openmeva.loading import check_count, load_rows
from openmeva.metrics.openmeva.sections import judgment_tables

SCALES: dict[str, tuple[float, float] | None] = {
    "mans_roc": (1.0, 5.0),
    "mans_wp": (1.0, 5.0),
    "judgments": None,
}
AUTOS = ("autos_discrimination", "autos_invariance")
CONFIGURATIONS = (*SCALES, *AUTOS)

_DESCRIPTION = """\
OpenMEVA evaluates a metric for stories, given one score per story. It returns the correlations with human judgments and
the results of OpenMEVA's Tables 3, 4, 6 and 7 and Figure 2 and of UNION's section 4.4 (error types, model drift,
discrimination and invariance tests, score differences, quality drift). It adds inter-rater agreement, intervals, paired
tests, the noise ceiling, and trivial baselines that a metric should beat.
"""

_CITATION = """\
@inproceedings{guan-etal-2021-openmeva,
  title = "{O}pen{MEVA}: A Benchmark for Evaluating Open-ended Story Generation Metrics",
  author = "Guan, Jian and Zhang, Zhexin and Feng, Zhuoer and Liu, Zitao and Ding, Wenbiao and Mao, Xiaoxi and
            Fan, Changjie and Huang, Minlie",
  booktitle = "Proceedings of ACL-IJCNLP",
  year = "2021",
}
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: one finite score per story, higher is better, in the order of `references`.
    references: rows of the dataset. `mans_roc`, `mans_wp`, `judgments`: `story` with `ratings` (a list) or
        `score`, and `story_id`, `prompt`, `source_model`, `raters`, `error_types` if known. `autos_*`: rows
        of AUTOS. Default: the rows are loaded (not for `judgments`).
    others: dict of name to scores of other metrics on the same stories, for paired tests.
    reasonable_above: a finite number; a story judged above it is reasonable (error types); default 4 on MANS, else three
        quarters of the way from the lowest rating to the highest.
    one_error_only: exclude stories of several error types from `by_error_type`, as OpenMEVA does and UNION does
        not; default true.
    draws: number of bootstrap resamples over prompts, from 100 up, default 10,000 (`autos_*`: at most 1,000).
    seed: of all random numbers, default 0.
    dataset, subset: where to load the rows from, without `references`.
Returns:
    A JSON-serialisable dict: `pearson`, `spearman`, `kendall` (tau-b) in -1..1, `p_values`, `intervals` (95 %),
    `n`, `signature`, and one key per section; `unavailable` gives the sections that cannot be computed from the
    rows, and why.
Examples:

    >>> openmeva = evaluate.load("metrics/openmeva", "judgments")
    >>> rows = [{"story": f"he ran {k} miles .", "ratings": [k, k + 1]} for k in range(6)]
    >>> result = openmeva.compute(predictions=[0.1, 0.2, 0.3, 0.5, 0.4, 0.6], references=rows, draws=200)
    >>> round(result["pearson"], 3), round(result["kendall"], 3), result["n"]
    (0.943, 0.867, 6)
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class Openmeva(evaluate.Metric):
    """The benchmark as an evaluate module; `_KWARGS_DESCRIPTION` is its contract."""

    config_name: str

    def __init__(self, *args: Any, num_process: int = 1, **kwargs: Any) -> None:
        if num_process != 1:
            raise ValueError(
                f"num_process: expected 1, because a correlation needs all rows; got {num_process!r}"
            )
        super().__init__(*args, **kwargs)

    def _info(self) -> evaluate.MetricInfo:
        if self.config_name == "default":
            self.config_name = "mans_roc"
        if self.config_name not in CONFIGURATIONS:
            raise ValueError(
                f"unknown configuration {self.config_name!r}, expected one of {', '.join(CONFIGURATIONS)}"
            )
        self._lock = ModuleLock()
        self._scores: list[float] = []
        self._rows: list[Mapping[str, Any]] = []
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=datasets.Features({"predictions": datasets.Value("float64")}),
            reference_urls=["https://aclanthology.org/2021.acl-long.500"],
        )

    def __len__(self) -> int:
        """The number of scores added for the next `compute`."""
        return len(self._scores)

    def _feature_names(self) -> list[str]:
        return ["predictions", "references"]  # evaluate.combine passes these

    # Rows have optional columns, which evaluate's fixed table cannot hold. A row that evaluate rejects stays in its
    # cache for the next call. So rows are stored here until `compute`, which removes them unless it rejects its own
    # arguments.
    def add(
        self, *, prediction: float | None = None, reference: Mapping[str, Any] | None = None, **others: Any
    ) -> None:
        """Adds one score, and its row if rows are given, for the next `compute`."""
        # evaluate.combine passes it by the plural names.
        prediction = others.pop("predictions", None) if prediction is None else prediction
        reference = others.pop("references", None) if reference is None else reference
        if others:
            raise ValueError(f"expected 'prediction' and 'reference', got {', '.join(others)}")
        if prediction is None:
            raise ValueError("prediction: expected a score, got None")
        self._keep([prediction], None if reference is None else [reference])

    def add_batch(
        self,
        *,
        predictions: Sequence[float] | None = None,
        references: Sequence[Mapping[str, Any]] | None = None,
        **others: Any,
    ) -> None:
        """Adds scores, and their rows if rows are given, for the next `compute`.

        Raises:
            ValueError: not a list, a different number of rows than scores, or rows with some batches but not all.
        """
        if others:
            raise ValueError(f"expected 'predictions' and 'references', got {', '.join(others)}")
        scores = as_list(predictions, "predictions", "scores")
        rows = None if references is None else as_list(references, "references", "rows")
        self._keep(scores, rows)

    def _keep(self, scores: list[Any], rows: list[Any] | None) -> None:
        if rows is not None:
            check_lengths(scores, rows, "references")
        with self._lock:
            if self._scores and bool(self._rows) != (rows is not None):
                raise ValueError("references: expected with every batch or with none")
            self._scores.extend(scores)
            self._rows.extend(rows or [])

    def compute(
        self,
        *,
        predictions: Sequence[float] | None = None,
        references: Sequence[Mapping[str, Any]] | None = None,
        others: Mapping[str, Sequence[float]] | None = None,
        reasonable_above: float | None = None,
        one_error_only: bool = True,
        draws: int = 10_000,
        seed: int = 0,
        dataset: str | None = None,
        subset: str | None = None,
    ) -> dict[str, Any]:
        """All tables from one score per story; see the module's description.

        Raises:
            ValueError: see `check_predictions`, `JudgedStories.from_rows` and `check_rows`; also no predictions, an
                option of the wrong type, or `draws` below 100. The module stays usable. Rows added before are kept if
                only arguments of this call are invalid.
        """
        check_options(
            {
                "reasonable_above": reasonable_above,
                "one_error_only": one_error_only,
                "draws": draws,
                "seed": seed,
            }
        )
        if reasonable_above is not None and not math.isfinite(parse_number(reasonable_above) or 0.0):
            raise ValueError(
                f"reasonable_above: expected a finite number or None, got {reasonable_above!r:.60}"
            )
        if others is not None and not isinstance(others, Mapping):
            raise ValueError(f"others: expected a dict of name to scores, got {type(others).__name__}")
        if self.config_name in AUTOS and (others or reasonable_above is not None):
            idle = "others" if others else "reasonable_above"
            raise ValueError(f"{idle}: expected with human judgments, which {self.config_name} does not have")
        has_arguments = any(value is not None for value in (predictions, references, others, dataset, subset))
        further = [] if predictions is None else as_list(predictions, "predictions", "scores")
        added_rows = [] if references is None else as_list(references, "references", "rows")
        with self._lock:
            if self._rows:
                check_lengths(further, added_rows, "references")
            scores, rows = self._scores + further, self._rows + added_rows
            if not scores:
                raise ValueError("predictions: expected one score per story, got none")
            loaded = not rows and references is None
            if loaded:
                rows = [*load_rows(self.config_name, dataset, subset)]
            try:
                if loaded:
                    check_count(len(scores), len(rows), self.config_name, subset)
                judged = self._check_stories(rows)
                metric = check_predictions(scores, len(judged))
                checked = {name: _check_other(name, v, len(judged)) for name, v in (others or {}).items()}
            except Exception:
                if not has_arguments or not self._added_are_valid():
                    self._scores, self._rows = [], []  # no other arguments would help
                raise
            self._scores, self._rows = [], []
        return self._compute(metric, judged, rows, checked, reasonable_above, one_error_only, draws, seed)

    def _check_stories(self, rows: Sequence[Mapping[str, Any]]) -> Any:
        """The rows of AUTOS, or the judged stories of the rows."""
        if self.config_name in AUTOS:
            return check_rows(rows)
        return JudgedStories.from_rows(rows, SCALES[self.config_name])

    def _added_are_valid(self) -> bool:
        """Whether the scores and rows added before are valid by themselves."""
        try:
            if self._rows:
                self._check_stories(self._rows)
        except ValueError:
            return False
        return all(is_single_number(s) and math.isfinite(parse_number(s) or 0.0) for s in self._scores)

    def _compute(
        self,
        metric: np.ndarray,
        judged: Any,
        references: Sequence[Mapping[str, Any]],
        others: Mapping[str, np.ndarray],
        reasonable_above: float | None,
        one_error_only: bool,
        draws: int,
        seed: int,
    ) -> dict[str, Any]:
        rng = np.random.default_rng(seed)
        if self.config_name in AUTOS:
            test = self.config_name.removeprefix("autos_")
            result = overall_correlation(metric, judged, draws, rng)
            return {
                **result,
                test: aspect_tables(metric, judged, draws, rng),
                "signature": self._signature(references, draws=min(draws, MAX_DRAWS), seed=seed),
            }
        if reasonable_above is None:
            reasonable_above = judged.reasonable_above
        result = judgment_tables(metric, judged, others, reasonable_above, one_error_only, draws, rng)
        signature = self._signature(
            references,
            reasonable_above=f"{reasonable_above:g}",
            one_error_only="yes" if one_error_only else "no",
            others=",".join(others) or "none",
            draws=draws,
            seed=seed,
        )
        return {**result, "signature": signature}

    def _signature(self, rows: Sequence[Mapping[str, Any]], **settings: Any) -> str:
        """What the result depends on in addition to the scores; the rows are identified by a checksum."""
        text = json.dumps(list(map(dict, rows)), sort_keys=True, default=_plain)
        return "|".join(
            (
                f"openmeva:{__version__}",
                f"config:{self.config_name}",
                f"rows:{hashlib.sha256(text.encode()).hexdigest()[:12]}",
                f"n:{len(rows)}",
                *(f"{name}:{value}" for name, value in settings.items()),
                "kendall:tau-b",
                "intervals:percentile over prompts",
                f"numpy:{np.__version__}",
                f"scipy:{scipy.__version__}",
            )
        )


def _check_other(name: str, values: Any, stories: int) -> np.ndarray:
    """The scores of another metric, one per story."""
    try:
        return check_predictions(values, stories)
    except ValueError as error:
        raise ValueError(f"others, {name!r}: {error}") from error


def _plain(value: Any) -> Any:
    """A NumPy value as a plain Python value, which JSON can hold; any other value as text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)
