"""`python -m training.ruber_bert`: see `trainer.py`."""

from openmeva.training.ruber_bert.trainer import main

if __name__ == "__main__":
    main()
