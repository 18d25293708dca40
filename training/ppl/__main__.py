"""`python -m training.ppl`: see `trainer.py`."""

from openmeva.training.ppl.trainer import main

if __name__ == "__main__":
    main()
