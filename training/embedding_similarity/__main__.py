"""`python -m training.embedding_similarity`: see `trainer.py`."""

from openmeva.training.embedding_similarity.trainer import main

if __name__ == "__main__":
    main()
