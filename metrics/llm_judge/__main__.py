"""`python -m metrics.llm_judge --input stories.jsonl --output scores.jsonl --config judge.yaml` scores a file."""

from openmeva.metrics.core.command import main

if __name__ == "__main__":
    main("llm_judge")
