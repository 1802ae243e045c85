"""Runs a program with the SDK: ``python -m gasoline_sdk.run app.py ARG…`` or ``python -m gasoline_sdk.run -m module ARG…``.

Programs that it starts with the same environment have the SDK as well.
"""

import os
import runpy
import sys
from typing import List


def main(arguments: List[str]) -> None:
    module = arguments[:1] == ["-m"]
    program = arguments[1:] if module else arguments
    if not program:
        sys.exit("usage: python -m gasoline_sdk.run [-m MODULE | FILE] ARG…")
    shim = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shim")
    rest = os.environ.get("PYTHONPATH", "")
    if shim not in rest.split(os.pathsep):
        os.environ["PYTHONPATH"] = shim + (os.pathsep + rest if rest else "")
    sys.argv = program
    from . import start

    start()
    if module:
        sys.path[0] = os.getcwd()
        runpy.run_module(program[0], run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = os.path.dirname(os.path.abspath(program[0]))
        runpy.run_path(program[0], run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
