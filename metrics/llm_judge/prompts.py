"""The prompts for a judge, one per aspect, from this module or from a user's file."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from string import Formatter

import yaml

from openmeva.metrics.llm_judge.prompts_v1 import ASPECTS, CONTEXT, NEEDS_CONTEXT, PROMPT, VERSION
from openmeva.metrics.llm_judge.results import is_free

_FIELDS = {"prompt": {"aspect", "definition", "context", "story", "mark"}, "context": {"context", "mark"}}


@dataclass(frozen=True)
class Prompts:
    """Prompt templates and their aspects.

    Attributes:
        version: the author's name for them.
        prompt: template with `{story}`, and any of `{aspect}`, `{definition}`, `{context}`, `{mark}`.
        context: template with `{context}`, and `{mark}` if wanted. It fills the prompt's `{context}` if a
            story has a context.
        aspects: maps names to definitions.
        needs_context: aspects in which a story without a context is not rated.
    """

    version: str
    prompt: str
    context: str
    aspects: Mapping[str, str]
    needs_context: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The version and the first twelve digits of the SHA-256 of all texts."""
        content = json.dumps(asdict(self), sort_keys=True, ensure_ascii=False)
        return f"{self.version}-{hashlib.sha256(content.encode()).hexdigest()[:12]}"

    def render(self, aspect: str, story: str, context: str = "") -> str:
        """The complete prompt for a story; a blank context counts as none.

        >>> prompt = DEFAULT_PROMPTS.render("fluency", "Ann ran. She fell.")
        >>> "fluency: how well the language reads" in prompt, "CONTEXT" in prompt
        (True, False)
        """
        mark = hashlib.sha256(json.dumps([context, story]).encode()).hexdigest()[:12]
        before = self.context.format(context=context, mark=mark) if context.strip() else ""
        return self.prompt.format(
            aspect=aspect, definition=self.aspects[aspect], context=before, story=story, mark=mark
        )


DEFAULT_PROMPTS = Prompts(VERSION, PROMPT, CONTEXT, ASPECTS, NEEDS_CONTEXT)


def read_prompts(path: str | Path) -> Prompts:
    """Reads prompts from a YAML file with the keys of `Prompts`.

    Raises:
        OSError: no such file.
        ValueError: invalid YAML, a missing or unknown key, an invalid value, or a template that lacks its
            story or context or has other placeholders.
    """
    try:
        content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise ValueError(f"{path}: expected YAML ({error})") from error
    keys = ("version", "prompt", "context", "aspects", "needs_context")
    if not isinstance(content, dict) or not set(keys[:4]) <= set(content) <= set(keys):
        got = ", ".join(map(str, content)) if isinstance(content, dict) else type(content).__name__
        raise ValueError(f"{path}: expected the keys {', '.join(keys)} (the last is optional), got {got}")
    aspects, needing = content["aspects"], content.get("needs_context") or []
    texts = [*aspects, *aspects.values()] if isinstance(aspects, dict) else []
    if not texts or not all(isinstance(text, str) for text in texts):
        raise ValueError(f"{path}, aspects: expected names and their definitions, got {aspects!r:.60}")
    taken = [aspect for aspect in aspects if not is_free(aspect)]
    if taken:
        raise ValueError(f"{path}, aspects: expected names that are no keys of a result, got {taken[0]!r}")
    if not isinstance(needing, list) or not all(aspect in list(aspects) for aspect in needing):
        raise ValueError(f"{path}, needs_context: expected some of {', '.join(aspects)}, got {needing!r:.60}")
    for key, allowed in _FIELDS.items():
        _check_template(f"{path}, {key}", content[key], allowed, "story" if key == "prompt" else key)
    return Prompts(str(content["version"]), content["prompt"], content["context"], aspects, tuple(needing))


def _check_template(label: str, text: object, allowed: set[str], needed: str) -> None:
    try:
        fields = [field for field in Formatter().parse(str(text)) if field[1] is not None]
    except ValueError as error:
        raise ValueError(f"{label}: expected a template ({error}); write a literal brace twice") from error
    placeholders = {str(name) for _, name, _, _ in fields}
    if any(spec or conversion for _, _, spec, conversion in fields):
        raise ValueError(f"{label}: expected placeholders without a format, such as {{{needed}}}")
    if not isinstance(text, str) or needed not in placeholders or not placeholders <= allowed:
        raise ValueError(
            f"{label}: expected a text with {{{needed}}} and no placeholders except {', '.join(sorted(allowed))}, "
            f"got {', '.join(sorted(placeholders)) or 'none'}"
        )
