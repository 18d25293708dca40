"""`python -m metrics.ruber_bert --input stories.jsonl --output scores.jsonl` scores a file of stories."""

from openmeva.metrics.core.command import main

if __name__ == "__main__":
    main("ruber_bert")
