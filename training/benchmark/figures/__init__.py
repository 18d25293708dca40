"""Figures of the results, drawn by matplotlib."""
