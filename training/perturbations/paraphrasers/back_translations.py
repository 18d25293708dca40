"""Paraphrases from a file of back-translations, as in the paper."""

from pathlib import Path

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.files import read_json
from openmeva.training.text.sentence import Sentence


class BackTranslations:
    """A file in the format of the paper's `story_bt.json`: a list with one object per story.

    Each object maps a sentence to `{"trans": its back-translation, "score": …}`; the score is not used. Keys
    are compared without case and whitespace, so raw and tokenised sentences find the same entry.

    Args:
        path: the file.

    Raises:
        FileNotFoundError: the file is missing.
        ValueError: the file has another format; the message says where.
    """

    name = "back_translations"

    def __init__(self, path: str | Path) -> None:
        stories = read_json(path)
        if not isinstance(stories, list):
            raise ValueError(f"{path}: expected a list of stories, got {type(stories).__name__}")
        self._found: dict[str, list[str]] = {}
        for number, story in enumerate(stories):
            if not isinstance(story, dict):
                raise ValueError(f"{path}, story {number}: expected an object, got {type(story).__name__}")
            for sentence, entry in story.items():
                text = entry.get("trans") if isinstance(entry, dict) else None
                if not isinstance(text, str):
                    raise ValueError(f"{path}, story {number}, {sentence[:40]!r}: expected a text in 'trans'")
                translations = self._found.setdefault(_key(sentence), [])
                if text.strip() and _key(text) != _key(sentence) and text not in translations:
                    translations.append(text.strip())

    def __len__(self) -> int:
        """The number of sentences with an entry."""
        return len(self._found)

    def paraphrases(self, sentence: Sentence, rng: BufferedRandom) -> list[str]:
        """The back-translations of a sentence, in the order of the file."""
        return [sentence.capitalize_start(text) for text in self._found.get(_key(sentence.text), ())]


def _key(text: str) -> str:
    return "".join(text.lower().split())
