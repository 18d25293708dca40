"""A chat model as a judge of stories: ratings from 1 to 5 in several aspects (after Liu et al., EMNLP 2023)."""

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import evaluate

from openmeva.metrics.core.files import check_folder
from openmeva.metrics.core.hub import hub_home
from openmeva.metrics.core.module import MODEL_LIBRARIES, StoryInputs, progress_bar, signature_of
from openmeva.metrics.core.runtime import choose_device, choose_dtype, numbered_device, precision
from openmeva.metrics.llm_judge.answers import AnswerCache, Judge
from openmeva.metrics.llm_judge.chat import ChatJudge
from openmeva.metrics.llm_judge.judging import rate_prompts
from openmeva.metrics.llm_judge.local import LocalJudge
from openmeva.metrics.llm_judge.prompts import DEFAULT_PROMPTS, Prompts, read_prompts
from openmeva.metrics.llm_judge.request_runner import MAX_CONSECUTIVE_FAILURES, RequestRunner
from openmeva.metrics.llm_judge.results import NO_CONTEXT, StoryPrompt, collect_results
from openmeva.metrics.llm_judge.settings import Settings, read_settings

SETTINGS_VARIABLE = "OPENMEVA_JUDGE_SETTINGS"
"""The environment variable that names a settings file, used if `evaluate.load` gets no configuration."""

_DESCRIPTION = """
Asks a chat model to rate each story from 1 to 5 for coherence, relatedness, fluency or as a whole: over the network
(the Hub's inference providers, or any server with OpenAI's chat completions API), or locally by transformers. The
score is the expected rating under the model's probabilities where they are given, as in G-Eval (Liu et al., EMNLP
2023), else the mean of several sampled replies. An unreadable reply gives no score. Higher is better.
"""

_CITATION = """
@inproceedings{liu-etal-2023-g,
    title = "{G}-Eval: {NLG} Evaluation using Gpt-4 with Better Human Alignment",
    author = "Liu, Yang and Iter, Dan and Xu, Yichong and Wang, Shuohang and Xu, Ruochen and Zhu, Chenguang",
    booktitle = "Proceedings of the 2023 Conference on Empirical Methods in Natural Language Processing",
    year = "2023",
    pages = "2511--2522",
}
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: stories, a list of strings.
    contexts: the beginning or prompt of each story, optional; required for relatedness, shown to the judge for all.
    model: a Hub id, or the model's name at the server at `base_url`.
    base_url: of a server with OpenAI's chat completions API, as "http://localhost:8000/v1"; default: the Hub.
    api_key: default: the environment variable OPENMEVA_JUDGE_KEY or, for the Hub, its own token (HF_TOKEN or
        `hf auth login`). It is not stored.
    aspects: a list of "coherence", "relatedness", "fluency", "overall"; default ["overall"]. The first is `scores`.
    prompts: a YAML file with your own prompts.
    method: "probabilities", "samples", or "auto" (default): probabilities if the judge gives them, else samples.
    samples, temperature, seed: number of sampled replies (5), their temperature (1.0), seed of the first (0).
    max_tokens: of a reply (16). top_logprobs: number of most likely tokens requested at each position (5).
    extra: further keys of the request body, a dict.
    parallel: maximum simultaneous requests (4). tries: maximum tries per request (6). timeout: in seconds (60).
    prices: prices of a million prompt tokens and of a million reply tokens, for `cost`.
    cache: a folder for the answers; default in HF_HOME. Cached answers are not requested again.
    device, dtype: of a local judge.
    dry_run: send nothing, and return the prompts and estimated counts.
    details: also return `details`.
    show_progress: a progress bar, which appears after five seconds.
Returns:
    score, scores: for the first aspect, the mean and one per story, 1 to 5, higher is better; None if unscored.
    unscored: the number of None in `scores`. reasons: why, one per story; "" where there is a score.
    <aspect>, <aspect>_scores, <aspect>_unscored, <aspect>_reasons: the same for each aspect.
    usage: `requests`, `answers`, `cached`, `prompt_tokens`, `completion_tokens`, `uncounted` (answers without a count)
        and `cost` (None without `prices`) of this run. total_usage: the same without `requests` and `cached`,
        for all answers behind the scores.
    answered_by, dates: the server's names for the models, and the first and last day of the answers.
    signature: everything that the scores depend on.
    details (with `details`): one dict per story: by aspect `replies`, `probabilities`.
    warnings: one per story, None or why the score may mean little (no words, too short, not English, special tokens).
Raises:
    ValueError: no stories; a row that is not a string; a blank story; a different number of contexts than
        stories; no model; no key for the Hub; relatedness without contexts; a server that refuses or does not
        answer (received answers stay in the cache).
Examples:
    >>> judge = evaluate.load("metrics/llm_judge")
    >>> story = "Ann was hungry. She made a sandwich. She ate it."
    >>> plan = judge.compute(
    ...     predictions=[story], aspects=["coherence", "fluency"], model="some/model", dry_run=True
    ... )
    >>> plan["requests_at_least"], "coherence: how well" in plan["prompts"][0]
    (2, True)
"""


class LlmJudge(StoryInputs, evaluate.Metric):
    """The evaluate module; `config_name` is `api`, a YAML file of settings, or a folder or Hub id of a local model."""

    runs_in_space = False  # it needs a model and perhaps a key, which its Space does not have

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=self.feature_choices(),
            reference_urls=["https://aclanthology.org/2023.emnlp-main.153"],
        )

    def _download_and_prepare(self, dl_manager: object) -> None:
        config_name = None if self.config_name == "default" else self.config_name
        name = config_name or os.environ.get(SETTINGS_VARIABLE) or "api"
        if name == "api":
            self._settings = Settings()
        elif name.endswith((".yaml", ".yml")):
            self._settings = read_settings(name)
        else:
            self._settings = Settings(local=True, model=name)
        self._local: LocalJudge | None = None
        self._signature = ""
        if self._settings.local:  # a wrong name is an error of `load`
            self._judge(self._settings, None, None, "auto")

    def signature(self) -> str:
        """What the last scores depend on: model, address, prompts, method, settings, dates and versions.

        Raises:
            ValueError: `compute` has not been called yet.
        """
        if not self._signature:
            raise ValueError(
                "signature: expected a call of compute first, which sets the model and the prompts"
            )
        return self._signature

    def _check_options(self, options):
        super()._check_options(options)
        settings, templates = self._with_options(options)
        if self.writer is not None and "contexts" not in self._feature_names():
            _story_prompts([], None, settings.aspects, templates)
        if settings.local:
            precision(options.get("dtype", "auto"), options.get("device"))
        if not options.get("dry_run"):
            _cache_folder(settings)
            if not settings.local:
                self._judge(settings, options.get("api_key"), None, "auto")

    def _with_options(self, options: Mapping[str, Any]) -> tuple[Settings, Prompts]:
        """The settings and prompts with these options of `compute`; others are ignored.

        Raises:
            ValueError: an invalid value, an unknown or repeated aspect, or another local model.
        """
        settings = self._settings.updated(
            {name: value for name, value in options.items() if name in Settings.__dataclass_fields__}
        )
        if settings.local and settings.model != self._settings.model:
            raise ValueError(
                "model: that of a local judge is chosen on loading, as the second argument of evaluate.load"
            )
        prompts = read_prompts(settings.prompts) if settings.prompts else DEFAULT_PROMPTS
        aspects = settings.aspects
        unknown = [aspect for aspect in aspects if aspect not in prompts.aspects]
        if unknown or not aspects or len(set(aspects)) < len(aspects):
            got = ", ".join(map(str, aspects)) or "none"
            raise ValueError(f"aspects: expected some of {', '.join(prompts.aspects)}, each once, got {got}")
        return settings, prompts

    def _compute(
        self,
        predictions,
        contexts=None,
        model=None,
        base_url=None,
        api_key=None,
        aspects=None,
        prompts=None,
        method=None,
        samples=None,
        temperature=None,
        seed=None,
        max_tokens=None,
        top_logprobs=None,
        extra=None,
        parallel=None,
        tries=None,
        timeout=None,
        prices=None,
        cache=None,
        device=None,
        dtype="auto",
        dry_run=False,
        details=False,
        show_progress=True,
    ):
        settings, templates = self._with_options(locals())
        story_prompts = _story_prompts(predictions, contexts, settings.aspects, templates)
        if dry_run:
            return _dry_run(story_prompts, settings)

        judge_model = self._judge(settings, api_key, device, dtype)
        if settings.local and settings.method == "auto":
            settings = replace(settings, method="probabilities")  # a local model always gives them
        runner = RequestRunner(
            judge_model,
            AnswerCache(_cache_folder(settings), judge_model.identity),
            1 if settings.local else settings.parallel,
            settings.tries,
        )
        unique = list(
            dict.fromkeys(story_prompt.prompt for story_prompt in story_prompts if story_prompt.prompt)
        )
        bar = progress_bar("llm_judge", show_progress, "requests", "request")
        method_used, ratings = rate_prompts(unique, runner, settings, bar)
        result = collect_results(
            story_prompts, dict(zip(unique, ratings, strict=True)), settings, runner.usage, details
        )
        self._signature = result["signature"] = signature_of(
            "llm_judge",
            MODEL_LIBRARIES if settings.local else ("huggingface_hub",),
            **{key: value for key, value in judge_model.identity.items() if key not in MODEL_LIBRARIES},
            prompts=templates.name,
            aspects=",".join(settings.aspects),
            **settings.signature_settings(method_used),
            answered="..".join(result["dates"]) or "never",
        )
        return result

    def _judge(self, settings: Settings, api_key: str | None, device: str | None, dtype: str) -> Judge:
        if not settings.local:
            return ChatJudge(settings.model, settings.base_url, api_key, settings.timeout)
        chosen = numbered_device(choose_device(device))
        kind = choose_dtype(dtype, chosen)
        if self._local is None:
            self._local = LocalJudge(settings.model, device, dtype)
        elif (self._local.device, self._local.dtype) != (chosen, kind):
            self._local = None  # before the other one is loaded: two may not fit
            self._local = LocalJudge(settings.model, device, dtype)
        return self._local


def _cache_folder(settings: Settings) -> Path:
    """The folder for the answers, after it is checked: before an answer costs anything.

    Raises:
        ValueError: nothing can be written there.
    """
    folder = Path(settings.cache or hub_home() / "openmeva-llm-judge").expanduser()
    check_folder(folder, "cache")
    return folder


def _story_prompts(
    stories: Sequence[str], contexts: Sequence[str] | None, aspects: Sequence[str], prompts: Prompts
) -> list[StoryPrompt]:
    """The prompt of each story in each aspect, ordered by aspect, then by story.

    Raises:
        ValueError: an aspect needs contexts, and there are none.
    """
    needing = [aspect for aspect in aspects if aspect in prompts.needs_context]
    if needing and contexts is None:
        raise ValueError(f"contexts: expected one per story, which {needing[0]} needs, got none")
    story_contexts = contexts if contexts is not None else [""] * len(stories)
    return [
        StoryPrompt(aspect, row, prompts.render(aspect, story, context))
        if context.strip() or aspect not in needing
        else StoryPrompt(aspect, row, "", NO_CONTEXT)
        for aspect in aspects
        for row, (story, context) in enumerate(zip(stories, story_contexts, strict=True))
    ]


def _dry_run(story_prompts: Sequence[StoryPrompt], settings: Settings) -> dict[str, Any]:
    """The prompts, and estimates of the requests and tokens; a token is taken as four characters."""
    unique = list(dict.fromkeys(story_prompt.prompt for story_prompt in story_prompts if story_prompt.prompt))
    samples = 1 if settings.method == "probabilities" or settings.local else settings.samples
    # to choose the method, some prompts are tried, each by both methods if the judge refuses or is silent
    tried = (
        2 * min(len(unique), MAX_CONSECUTIVE_FAILURES)
        if settings.method == "auto" and not settings.local
        else 0
    )
    return {
        "prompts": unique,
        "requests_at_least": len(unique) * (samples if settings.method == "samples" else 1),
        "requests_at_most": len(unique) * samples + tried,
        "prompt_tokens_about": math.ceil(sum(map(len, unique)) / 4)
        * (samples if settings.method == "samples" else 1),
    }
