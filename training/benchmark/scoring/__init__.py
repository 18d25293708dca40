"""Scores of the metrics on the test sets, cached by everything that they depend on."""
