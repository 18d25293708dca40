"""All tables for 1,000 stories with 10,000 draws; processor time, so that a busy machine does not fail it."""

from openmeva.training.speed.benchmark import TARGET, measure


def test_all_tables_in_time():
    _, used = measure()
    assert used < TARGET
