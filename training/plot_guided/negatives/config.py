"""The configuration of the stages from negatives to the five training sets."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from openmeva.training.common.bounds import Count, Percent, Positive, Rate, Seed, Share, Weight
from openmeva.training.corpora.splits import CorpusConfig
from openmeva.training.plot_guided.generator.sampling import Sampling
from openmeva.training.plot_guided.manipulations import check_excluded
from openmeva.training.plot_guided.manipulations.material import REPEATED_SHARE, SENTENCES_PER_REPETITION
from openmeva.training.plot_guided.plots import check_extractor

SetOrDefault = Literal["heur_sent_sub", "heur_key_sub", "union_data", "manplts", "af_manplts", "default"]


@dataclass(frozen=True, kw_only=True)
class PlainStoriesConfig:
    """Stories generated from original plots.

    Attributes:
        temperatures: sampling temperatures, with one file each.
        stories: number of stories at each temperature.
        beside_human: whether each story is paired with the human one. Both are cut at the sentence end nearest to the
            length of the shorter one in words, so that length gives no clue.
    """

    temperatures: tuple[Rate, ...]
    stories: Count
    beside_human: bool = False


@dataclass(frozen=True, kw_only=True)
class FilteringConfig:
    """Adversarial filtering.

    Attributes:
        kept: A, number of negatives kept per story.
        rounds: maximum number of rounds.
        patience: rounds without a lower held-out accuracy before filtering stops.
        margin: a negative is easy if the human story scores higher by more than this, in standard deviations.
        members: members of the committee: words, tags, encoder, lstm.
    """

    kept: Positive
    rounds: Positive
    patience: Positive
    margin: Weight
    members: tuple[Literal["words", "tags", "encoder", "lstm"], ...]


@dataclass(frozen=True, kw_only=True)
class PlotNegativesConfig:
    """How negatives are generated and filtered.

    Attributes:
        name: name of the configuration and of its folder in runs/plots.
        corpus: source of the stories.
        plots: the plot extractor.
        share: share of the stories, by hash, that trained the generator; they are excluded.
        generator: folder of the generator's weights.
        generator_config: the configuration that trains the generator if it is missing.
        stories: number of human stories, of those that the generator was not trained on; null: all.
        candidates: N, number of stories generated for each.
        sampling: sampling settings of the generator.
        plain: stories from original plots; null: none.
        filtering: adversarial filtering of the candidates; null: none, and no AF_MANPLTS.
        same_plot: whether all candidates of a story are generated from one manipulated plot, as in the released code;
            else the plot is manipulated anew for each.
        events: `comet:MODEL` of the Hub predicts the events before and after an event; null: ConceptNet.
        without: manipulations to exclude.
        substitution: of single `phrases` by another story's, as in section 5.1, or of all phrases of `sentences`, as
            in Figure 2.
        repeated_share: share of the phrases that repetition repeats (section 5.1: .15; the released code: .05).
        sentences_per_repetition: a repeated phrase is inserted in one of this many sentences, at least in one (the
            released code: 3 for ROC, 4 for WP).
        splits: splits of the sets: shares of training and validation in percent, the rest is the test split; by set,
            `default` for sets that are not named; null: 80 and 10.
        processes: number of parallel processes.
        seed: seed of all random choices.
    """

    name: str
    corpus: CorpusConfig
    plots: str
    share: Share
    generator: str
    generator_config: str | None = None
    stories: Positive | None = None
    candidates: Positive
    sampling: Sampling
    plain: PlainStoriesConfig | None = None
    filtering: FilteringConfig | None = None
    same_plot: bool = False
    events: str | None = None
    without: tuple[str, ...] = ()
    substitution: Literal["phrases", "sentences"] = "phrases"
    repeated_share: Share = REPEATED_SHARE
    sentences_per_repetition: Positive = SENTENCES_PER_REPETITION
    splits: Mapping[SetOrDefault, tuple[Percent, Percent]] | None = None
    processes: Positive = 1
    seed: Seed

    def __post_init__(self) -> None:
        check_extractor(self.plots)
        check_excluded(self.without)
        if self.filtering and self.filtering.kept > self.candidates:
            raise ValueError(
                f"filtering.kept: expected at most the {self.candidates} candidates of a story, got {self.filtering.kept}"
            )
