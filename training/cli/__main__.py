"""`python -m openmeva.training.cli`: the command `openmeva`, where it is not on the path."""

from openmeva.training.cli.app import main

if __name__ == "__main__":
    main()
