"""Keeps the garbage collector from what collecting the tests imports: a million objects, which stay to the end."""

import gc

gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()
