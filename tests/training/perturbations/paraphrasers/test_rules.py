"""Paraphrases by rules, from a file and by a model."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import BartConfig, BartForConditionalGeneration, PreTrainedTokenizerFast

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.perturbations import PerturbationMaterial, Story
from openmeva.training.perturbations.engine.material import Thresholds
from openmeva.training.perturbations.engine.overlap import bleu_1
from openmeva.training.perturbations.engine.paraphrasing import good_paraphrase, word_overlap
from openmeva.training.perturbations.paraphrasers import (
    BackTranslations,
    BackTranslator,
    RuleParaphraser,
    SequenceModel,
    find_paraphraser,
)
from openmeva.training.perturbations.paraphrasers.structure import move_clause, to_passive
from openmeva.training.text.knowledge import resources
from openmeva.training.text.sentence import Sentence


@pytest.fixture(scope="module", autouse=True)
def require_wordnet() -> None:
    resources.require_resource("wordnet")  # `make test` downloads it; without it the tests fail


def make_rng() -> BufferedRandom:
    return BufferedRandom(np.random.default_rng(0))


def first_sentence(text: str) -> Sentence:
    return Story(text).sentences[0]


@pytest.mark.parametrize(
    ("change", "before", "after"),
    [
        (to_passive, "The chef hired an attorney.", "An attorney was hired by the chef."),
        (to_passive, "He hired an attorney.", None),  # "by him" reads oddly
        (to_passive, "the storm damaged the roofs .", "the roofs were damaged by the storm ."),
        (to_passive, "The storm damaged the roofs in May.", None),  # "by the storm in May"
        (to_passive, "The crowd cheers me.", "I am cheered by the crowd."),
        (to_passive, "He has a dog.", None),
        (to_passive, "Tom walked his dog.", None),  # "his" would lose its antecedent
        (to_passive, "He hired an attorney and left.", None),
        (move_clause, "Nora smiled when she saw the letter.", "When she saw the letter, Nora smiled."),
        (move_clause, "he slept because he was tired .", "because he was tired , he slept ."),
        (move_clause, "After he ate, he slept.", "He slept after he ate."),
        (move_clause, "He slept when Tom came.", None),  # "he" would become Tom
        (move_clause, "He slept.", None),
    ],
)
def test_structural_rules(change: Callable[[Sentence], str | None], before: str, after: str | None) -> None:
    assert change(first_sentence(before)) == after


def test_rules_keep_the_style_and_never_return_the_sentence_itself() -> None:
    for text in ("The kids were very happy.", "the kids were very happy .", "Finally, she found her gift."):
        paraphrases = RuleParaphraser().paraphrases(first_sentence(text), make_rng())
        assert paraphrases
        assert text not in paraphrases
        assert all(Story(paraphrase).tokenized == Story(text).tokenized for paraphrase in paraphrases)
        assert all(paraphrase[0].isupper() == text[0].isupper() for paraphrase in paraphrases)


def test_sentence_without_applicable_rule_has_no_paraphrase() -> None:
    assert RuleParaphraser().paraphrases(first_sentence("Why Tom?"), make_rng()) == []


def test_thresholds_apply_to_every_paraphraser() -> None:
    class Source:
        name = "fixed"

        def paraphrases(self, sentence: Sentence, rng: BufferedRandom) -> list[str]:
            return ["He hired an attorney now.", "He employed a lawyer.", "A lawyer was employed by him."]

    sentence = first_sentence("He hired an attorney.")
    likes_last = PerturbationMaterial(
        paraphraser=Source(),
        similarity=lambda pairs: [0.3 if "by him" in second else 0.1 for _, second in pairs],
    )
    assert good_paraphrase(sentence, make_rng(), likes_last) == "A lawyer was employed by him."
    strict = PerturbationMaterial(
        paraphraser=Source(), similarity=lambda pairs: [0.3] * len(pairs), thresholds=Thresholds(overlap=0.1)
    )
    assert good_paraphrase(sentence, make_rng(), strict) is None


@pytest.mark.parametrize(
    ("paraphrase", "original", "expected"),
    [  # Table 14, except its last pair, which differs only in order
        ("He has made kilometers more.", "He went several more miles out of his way.", 0.26),
        ("He employed a lawyer.", "He hired an attorney.", 0.40),
    ],
)
def test_word_overlap_matches_the_paper(paraphrase: str, original: str, expected: float) -> None:
    assert word_overlap(paraphrase, original) == pytest.approx(expected, abs=0.005)


def test_bleu_1_clips_and_penalises_brevity() -> None:
    assert bleu_1(["a", "a", "a"], ["a", "b", "c"]) == pytest.approx(1 / 3)
    assert bleu_1(["a"], ["a", "b"]) == pytest.approx(np.exp(-1))
    assert bleu_1([], ["a"]) == 0.0


def test_back_translations(tmp_path: Path) -> None:
    path = tmp_path / "story_bt.json"
    entry = {"he hired an attorney .": {"score": 0.5, "trans": "he employed a lawyer ."}}
    path.write_text(json.dumps([entry, {"it rained .": {"trans": "It  rained."}}]), encoding="utf-8")
    source = BackTranslations(path)
    assert len(source) == 2
    assert source.paraphrases(first_sentence("He hired an attorney."), make_rng()) == [
        "He employed a lawyer ."
    ]
    assert source.paraphrases(first_sentence("It rained."), make_rng()) == []  # the sentence itself
    assert source.paraphrases(first_sentence("Nobody came."), make_rng()) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "expected JSON"),
        ("{}", "expected a list"),
        ("[1]", "story 0: expected an object"),
        ('[{"a": "b"}]', "story 0, 'a': expected a text"),
    ],
)
def test_bad_back_translations_are_refused(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "story_bt.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        BackTranslations(path)


def test_sequence_model_is_deterministic(tmp_path: Path) -> None:
    vocabulary = {
        word: number for number, word in enumerate("<s> <pad> </s> <unk> he ran . she sang".split())
    }
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", pad_token="<pad>", unk_token="<unk>"
    )
    fast.save_pretrained(tmp_path)
    size = {
        "d_model": 16,
        "encoder_layers": 1,
        "decoder_layers": 1,
        "encoder_ffn_dim": 16,
        "decoder_ffn_dim": 16,
    }
    heads = {"encoder_attention_heads": 2, "decoder_attention_heads": 2}
    torch.manual_seed(0)
    BartForConditionalGeneration(BartConfig(vocab_size=9, **size, **heads)).save_pretrained(tmp_path)
    answers = [
        SequenceModel(tmp_path, max_tokens=5).paraphrases(first_sentence("he ran ."), make_rng())
        for _ in range(2)
    ]
    assert answers[0] == answers[1]
    assert "he ran ." not in answers[0]
    assert len(answers[0]) == len(set(answers[0])) <= 4
    back_translator = find_paraphraser(f"{tmp_path}+{tmp_path}")
    assert isinstance(back_translator, BackTranslator)
    back_translator.forward.max_tokens = back_translator.backward.max_tokens = 5
    translation = back_translator.forward.answers("he ran .")[0]
    expected = [text for text in back_translator.backward.answers(translation) if text.lower() != "he ran ."]
    assert back_translator.paraphrases(first_sentence("he ran ."), make_rng()) == expected


def test_missing_model_is_reported(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="no sequence-to-sequence model"):
        SequenceModel(tmp_path / "empty").paraphrases(first_sentence("He ran."), make_rng())
    with pytest.raises(ValueError, match="beams"):
        SequenceModel("x", beams=0)


def test_article_in_a_replaced_phrase_is_not_changed_twice() -> None:
    (sentence,) = Story("There was a terrible snowstorm outside.").sentences
    for seed in range(20):
        paraphrases = RuleParaphraser().paraphrases(sentence, BufferedRandom(np.random.default_rng(seed)))
        assert not any("a awful" in text or "aan" in text for text in paraphrases)
