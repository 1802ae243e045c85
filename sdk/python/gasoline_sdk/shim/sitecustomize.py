"""Starts the SDK in each Python program whose PYTHONPATH begins with this folder, then the user's own sitecustomize.

Every Python that runs in the environment loads it, also an old one: it begins with what all of them know, and leaves a
Python alone that the SDK is not made for.
"""

import os
import sys


def _begin():
    # type: () -> None
    if sys.version_info < (3, 9):
        return
    here = os.path.dirname(os.path.abspath(__file__))
    above = os.path.dirname(os.path.dirname(here))
    added = above not in sys.path
    if added:
        sys.path.append(above)  # last: a gasoline_sdk of the program's own is the one that starts
    try:
        import gasoline_sdk

        gasoline_sdk.start()
    except Exception:
        pass  # the program runs without
    finally:
        if added and above in sys.path:
            sys.path.remove(above)


def _own():
    # type: () -> None
    """Load the sitecustomize that this one stands before. What it raises is told by site, as without this one."""
    here = os.path.dirname(os.path.abspath(__file__))
    rest = [p for p in sys.path if os.path.abspath(p or ".") != here]
    if sys.version_info < (3, 5):
        import imp

        try:
            found = imp.find_module("sitecustomize", rest)
        except ImportError:
            return
        imp.load_module("sitecustomize", *found)
        return
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    spec = PathFinder.find_spec("sitecustomize", rest)
    if spec is not None and spec.loader is not None:
        module = module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


_begin()
_own()
