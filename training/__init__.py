"""Corpora, language tools, negative samples, perturbations, trainers and the benchmark."""
