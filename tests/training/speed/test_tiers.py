"""What plot coherence costs on each encoder; without the larger one, its row says how to get it."""

import pytest

from openmeva.metrics.core.backbone import BackboneNotFoundError
from openmeva.training.speed import tiers


def test_missing_encoder_is_reported_in_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(reference: dict[str, str], *_: object) -> None:
        if "story-encoder" not in reference["hub"]:
            raise BackboneNotFoundError("no model: `make base`")

    monkeypatch.setattr(tiers, "backbone_folder", absent)
    monkeypatch.setattr(tiers, "bert_base", lambda: None)
    monkeypatch.setattr(tiers, "score_as_in_papers", lambda *_: None)
    monkeypatch.setattr(tiers, "seconds", lambda *_: 10.0)  # 4 stories a second
    monkeypatch.setattr(tiers, "_measured", lambda name, count: (2.0, 200.0, 2.0**30))
    rows = tiers.tier_rows()
    assert [row[1:3] for row in rows] == [
        ("4.0 stories/s", "1"),
        ("200.0 stories/s", "50.0"),
        ("2.0 s", ""),
        ("1.00 GiB", ""),
        ("no model: `make base`", "-"),
    ]
