"""Changes of the program that no test notices.

    python -m tests.benchmarks.mutants compare                       20 changes of a package
    python -m tests.benchmarks.mutants rpc --file codec.py --sample 50 --seed 2
    python -m tests.benchmarks.mutants child_process.py --tests tests/schema tests/checks

Each run changes one operator, constant or branch in a copy of the program, and runs the tests of its package. Changes
that pass are printed: a test is missing, nothing that can be observed changes, or the code is not needed. A change
that makes the tests three times slower was noticed.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
PAIRS: Final[list[tuple[Any, Any]]] = [
    (ast.Eq, ast.NotEq),
    (ast.Lt, ast.LtE),
    (ast.Gt, ast.GtE),
    (ast.In, ast.NotIn),
    (ast.Is, ast.IsNot),
    (ast.And, ast.Or),
    (ast.Add, ast.Sub),
    (ast.Mult, ast.FloorDiv),
]
SWAPPED: Final = dict(PAIRS) | {second: first for first, second in PAIRS}


def mutants(file: Path) -> Iterator[tuple[int, str, ast.Module]]:
    """Yield line and words of every change of a file, with the changed tree."""
    tree = ast.parse(file.read_text())
    for parent, key, index, node in expressions(tree):
        for changed in changes(parent, key, node):
            put(parent, key, index, changed)
            yield node.lineno, f"{ast.unparse(node)}  ->  {ast.unparse(changed)}", tree
        put(parent, key, index, node)


def expressions(parent: ast.AST) -> Iterator[tuple[ast.AST, str, int | None, ast.expr]]:
    """Yield each expression with its place, but no type, docstring or f-string."""
    match parent:
        case ast.JoinedStr() | ast.Expr(ast.Constant()):
            return
    for key, value in ast.iter_fields(parent):
        if key in {"annotation", "returns", "type_params"}:
            continue
        nodes = enumerate(value) if isinstance(value, list) else [(None, value)]
        for index, node in nodes:
            if isinstance(node, ast.expr):
                yield parent, key, index, node
            if isinstance(node, ast.AST):
                yield from expressions(node)


def changes(parent: ast.AST, key: str, node: ast.expr) -> Iterator[ast.expr]:
    """Yield replacements of an expression; sentences stay."""
    if key == "test":
        yield ast.Constant(False)
        if not isinstance(parent, ast.While):
            yield ast.Constant(True)
    match node:
        case ast.Compare(left, [operator], right):
            yield ast.Compare(left, [SWAPPED[type(operator)]()], right)
        case ast.BoolOp(operator, values):
            yield ast.BoolOp(SWAPPED[type(operator)](), values)
        case ast.BinOp(left, operator, right) if type(operator) in SWAPPED:
            yield ast.BinOp(left, SWAPPED[type(operator)](), right)
        case ast.UnaryOp(ast.Not(), operand):
            yield operand
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(int(value) | float(value)):
            yield ast.Constant(value + 1)
        case ast.Constant(str(value)) if value and " " not in value:
            yield ast.Constant(value + "X")
        case ast.Constant(bytes(value)) if value and b" " not in value:
            yield ast.Constant(value + b"X")


def put(parent: ast.AST, key: str, index: int | None, node: ast.expr) -> None:
    if index is None:
        setattr(parent, key, node)
    else:
        getattr(parent, key)[index] = node


def passes(folder: Path, tests: list[str], seconds: float) -> bool:
    """Run tests in a copy, and end what they started if they take too long."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", *tests]
    environment = os.environ | {"PYTHONPATH": str(folder)}
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        try:
            return process.wait(seconds) == 0
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", help="a package or module below rpcexplorer/")
    parser.add_argument("--file", help="only this file of the package")
    parser.add_argument("--sample", type=int, default=20, help="number of changes (default: 20)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tests", nargs="+", help="default: tests/PACKAGE")
    given = parser.parse_args()
    os.chdir(ROOT)
    place = Path("rpcexplorer", given.package)
    tests = given.tests or [f"tests/{given.package}"]
    files = [place] if place.suffix else sorted(place.rglob(given.file or "*.py"))
    possible = sum(1 for file in files for _ in mutants(file))
    sample = set(random.Random(given.seed).sample(range(possible), min(given.sample, possible)))

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("rpcexplorer", "tests", "themes"):
            shutil.copytree(part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        for part in ("pyproject.toml", "README.md", "sessions.toml.example"):
            shutil.copy(part, folder)
        began = time.monotonic()
        if not passes(folder, tests, 600):
            sys.exit("The tests fail without a change.")
        seconds = 10 + 3 * (time.monotonic() - began)

        survivors = 0
        every = ((file, *mutant) for file in files for mutant in mutants(file))
        for number, (file, line, change, tree) in enumerate(every):
            if number not in sample:
                continue
            original = (folder / file).read_text()
            (folder / file).write_text(ast.unparse(ast.fix_missing_locations(tree)))
            os.utime(folder / file, (number, number))  # Python compiles again if the time in seconds is another.
            if passes(folder, tests, seconds):
                survivors += 1
                print(f"{file}:{line}: {change}", flush=True)
            (folder / file).write_text(original)
    print(f"{survivors} of {len(sample)} changes were not noticed ({possible} possible)")


if __name__ == "__main__":
    main()
