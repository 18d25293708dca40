"""The configuration of the chain from negatives to the five training sets."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from openmeva.training.corpora.splits import CorpusConfig
from openmeva.training.plot_guided.generator.sampling import Sampling

SetOrDefault = Literal["heur_sent_sub", "heur_key_sub", "union_data", "manplts", "af_manplts", "default"]


@dataclass(frozen=True, kw_only=True)
class Plain:
    """Stories from whole plots.

    Attributes:
        temperatures: of the generator; a file each.
        stories: so many at each temperature.
        beside_human: whether the human story stands beside each, both cut at the sentence's end nearest to the words
            of the shorter one, so that length tells nothing.
    """

    temperatures: tuple[float, ...]
    stories: int
    beside_human: bool = False


@dataclass(frozen=True, kw_only=True)
class FilteringConfig:
    """Adversarial filtering.

    Attributes:
        kept: A, negatives of a story that are kept.
        rounds: at most.
        patience: rounds without a lower held-out accuracy before it ends.
        margin: an assigned negative is easy where the human story scores higher by more.
        members: of the committee: words, tags, encoder, lstm.
    """

    kept: int
    rounds: int
    patience: int
    margin: float
    members: tuple[Literal["words", "tags", "encoder", "lstm"], ...]


@dataclass(frozen=True, kw_only=True)
class PlotNegativesConfig:
    """How negatives are written and filtered.

    Attributes:
        name: of the chain: its folder in runs/plots.
        corpus: of the stories.
        plots: the extractor.
        share: of the stories, by hash, that are the generator's and none of these.
        generator: the folder of its weights.
        generator_config: makes it where it is missing.
        stories: human stories, of those that the generator never saw; null: all.
        candidates: N, stories written for each.
        sampling: how they are written.
        plain: stories from whole plots; null: none are written.
        filtering: of the candidates; null: none, and no AF_MANPLTS.
        same_plot: whether a story's candidates are written from one broken plot, as the released code does; else each
            is written from the plot broken anew.
        events: `comet:MODEL` of the Hub says what comes before and after an event; else ConceptNet does.
        without: manipulations that are left out.
        substitution: of single `phrases` by another story's, as section 5.1 says, or of all phrases of `sentences`, as
            Figure 2 shows.
        splits: of the sets: shares of training and validation in percent, the rest being the test split; by set,
            `default` for those that are not named; null: 80 and 10.
        processes: that write at the same time.
        seed: of all draws.
    """

    name: str
    corpus: CorpusConfig
    plots: str
    share: float
    generator: str
    generator_config: str | None = None
    stories: int | None = None
    candidates: int
    sampling: Sampling
    plain: Plain | None = None
    filtering: FilteringConfig | None = None
    same_plot: bool = False
    events: str | None = None
    without: tuple[str, ...] = ()
    substitution: Literal["phrases", "sentences"] = "phrases"
    splits: Mapping[SetOrDefault, tuple[int, int]] | None = None
    processes: int = 1
    seed: int
