"""`python -m training.plot_coherence`: see `trainer.py`."""

from openmeva.training.plot_coherence.trainer import main

if __name__ == "__main__":
    main()
