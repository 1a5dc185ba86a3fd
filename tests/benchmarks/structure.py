"""The amount of code, how dense it is, and the modules that a call and a screen load.

    python tests/benchmarks/structure.py [CHECKOUT]...

Prints a column for each checkout, read and run by the Python that runs this, then its density by package. It reports
and judges nothing.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

OUR_MODULES = """
import json, sys
def report():
    names = [name for name in sys.modules if name.partition(".")[0] == "rpcexplorer"]
    print("FIGURES", json.dumps([len(names)]), file=sys.stderr)
"""
CALL = f"""
{OUR_MODULES}
import atexit
atexit.register(report)
sys.argv = ["rpcexplorer", "call", "ping", "--url", "http://127.0.0.1:9/", "--no-history", "--no-input"]
from rpcexplorer.__main__ import main
main()
"""
ON_SCREEN = """
import asyncio, tempfile
from pathlib import Path
from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.app import ExplorerApp
from PERSON_MODULE import PersonOnScreen
async def main():
    folder = Path(tempfile.mkdtemp())
    (folder / "sessions.toml").write_text('[profile.x]\\nurl = "http://127.0.0.1:9"\\nconfirm = "never"\\n')
    person = PersonOnScreen()
    explorer = Explorer.open(folder=folder, environment={"RPCEXPLORER_HOME": str(folder)}, person=person)
    app = ExplorerApp(explorer, person, "x")
    async with app.run_test(size=(120, 40)) as pilot:
        await then(pilot)
asyncio.run(main())
"""
FIRST_SCREEN = f"""
{OUR_MODULES}
import os
from textual.app import App
def display(app, screen, renderable):
    if type(screen).__module__.startswith("rpcexplorer."):
        report()
        os._exit(0)
App._display = display
async def then(pilot):
    await pilot.pause()
{ON_SCREEN}
"""
SENDING = (
    """
import asyncio, json, sys
called, stack, sending = set(), set(), False
def name_of(frame):
    code = frame.f_code
    ours = "/rpcexplorer/" in code.co_filename and "/site-packages/" not in code.co_filename
    return f"{code.co_filename.rpartition('/rpcexplorer/')[2]}:{code.co_qualname}" if ours else ""
def frames(frame):
    while frame is not None:
        yield frame
        frame = frame.f_back
def profiler(frame, event, arg):
    if event == "call" and sending and (name := name_of(frame)) and "<" not in name.rpartition(":")[2][:1]:
        called.add(name)
def factory(loop, coro, **more):
    task = asyncio.Task(coro, loop=loop, **more)
    task.begun_by = {name for frame in frames(sys._getframe()) if (name := name_of(frame))}
    current = asyncio.current_task(loop) if loop.is_running() else None
    if sending and current is not None:
        task.begun_by |= getattr(current, "begun_by", set())
    return task
def audit(event, arguments):
    global sending
    if event == "socket.connect" and sending:
        sending = False
        task = asyncio.current_task()
        stack.update(name for frame in frames(sys._getframe()) if (name := name_of(frame)))
        stack.update(getattr(task, "begun_by", ()))
async def then(pilot):
    global sending
    asyncio.get_running_loop().set_task_factory(factory)
    await pilot.press("f2", *"ping", "enter")
    for _ in range(5):
        await pilot.pause()
    sys.addaudithook(audit)
    sending = True
    sys.setprofile(profiler)
    await pilot.press("f5")
    for _ in range(200):
        if not sending:
            break
        await asyncio.sleep(0.02)
    sys.setprofile(None)
    print("FIGURES", json.dumps([len(called), len(stack), sorted(stack)]), file=sys.stderr)
"""
    + ON_SCREEN
)
ASKED = f"""
import asyncio, json, sys
asked = 0
def profiler(frame, event, arg):
    global asked
    if event == "call" and frame.f_code.co_name == "check_action":
        asked += frame.f_back.f_code.co_name != "check_action"
async def then(pilot):
    await pilot.press("f2", *"ping", "enter")
    for _ in range(5):
        await pilot.pause()
    sys.setprofile(profiler)
    await pilot.press("f5")
    for _ in range(20):
        await asyncio.sleep(0.05)
    sys.setprofile(None)
    print("FIGURES", json.dumps([asked]), file=sys.stderr)
{ON_SCREEN}
"""


class Module(NamedTuple):
    text: str
    tree: ast.Module


def modules_of(checkout: Path) -> dict[str, Module]:
    found = {}
    for path in sorted((checkout / "rpcexplorer").rglob("*.py")):
        name = ".".join(path.relative_to(checkout).with_suffix("").parts).removesuffix(".__init__")
        text = path.read_text(encoding="utf-8")
        found[name] = Module(text, ast.parse(text))
    return found


def docstrings(tree: ast.Module) -> Iterator[ast.Expr]:
    """Yield all docstrings, also those of attributes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node


def imports(name: str, tree: ast.Module, known: set[str]) -> set[str]:
    """Return our modules that a module imports, those inside functions too."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        found.update(other for other in names if other in known and other != name)
    return found


def count_statements(tree: ast.Module) -> int:
    strings = set(map(id, docstrings(tree)))
    return sum(
        isinstance(node, ast.stmt) and not isinstance(node, ast.Import | ast.ImportFrom) and id(node) not in strings
        for node in ast.walk(tree)
    )


def count_functions(modules: dict[str, Module]) -> tuple[int, int]:
    """Return the number of functions, and of names with one use."""
    uses: Counter[str] = Counter()
    names: list[str] = []
    for module in modules.values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                uses[node.id] += 1
            elif isinstance(node, ast.Attribute):
                uses[node.attr] += 1
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                names.append(node.name)
    called_by_us = [name for name in names if not name.startswith(("__", "on_", "watch_", "action_", "compose"))]
    return len(names), sum(uses[name] == 1 for name in called_by_us)


def longest_chain(modules: dict[str, Module]) -> str:
    """Return the class with the longest chain of our own base classes."""
    bases: dict[str, list[str]] = {}
    for module in modules.values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                roots = [base.value if isinstance(base, ast.Subscript) else base for base in node.bases]
                bases[node.name] = [base.id for base in roots if isinstance(base, ast.Name)]

    def depth(name: str) -> int:
        return 1 + max((depth(base) for base in bases[name] if base in bases and base != name), default=0)

    deepest = max(bases, key=depth)
    return f"{depth(deepest)} {deepest}"


COLUMNS = ("lines", "conditionals", "comprehensions", "knots", ":=", "numbers", "patterns")
"""What a reader has to solve.

Knots are expressions with several decisions, numbers are constants with a name, patterns are regular expressions.
"""
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
SCREEN = ("tui", "text")


def density(modules: dict[str, Module]) -> dict[str, Counter[str]]:
    """Count what makes lines hard to read, by package and below the screen."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for name, module in modules.items():
        package = name.removeprefix("rpcexplorer").removeprefix(".").partition(".")[0]
        counts = Counter({"lines": module.text.count("\n")})
        for node in ast.walk(module.tree):
            if kind := kind_of(node):
                counts[kind] += 1
            counts["knots"] += is_knot(node)
        found[package or "__init__"] += counts
        found["below the screen" if package not in SCREEN else "the screen"] += counts
    return dict(found)


def kind_of(node: ast.AST) -> str:
    """Return the column of a node, or nothing."""
    match node:
        case ast.IfExp():
            return "conditionals"
        case ast.NamedExpr():
            return ":="
        case ast.Call(func=ast.Name(id="regex")) | ast.Call(func=ast.Attribute(value=ast.Name(id="re"))):
            return "patterns"
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name.isupper() and is_number(value):
            return "numbers"
        case ast.AnnAssign(target=ast.Name(id=name), value=value) if name.isupper() and is_number(value):
            return "numbers"
    return "comprehensions" if isinstance(node, COMPREHENSIONS) else ""


def is_knot(node: ast.AST) -> bool:
    """Return whether an expression makes several decisions."""
    if isinstance(node, ast.Tuple):
        return sum(isinstance(part, ast.IfExp) for part in node.elts) > 1
    if not isinstance(node, (ast.IfExp, *COMPREHENSIONS)):
        return False
    if not isinstance(node, ast.IfExp):
        first, *others = node.generators
        if others or len(first.ifs) > 1:
            return True
    _, *inside = ast.walk(node)
    return any(isinstance(part, (ast.IfExp, *COMPREHENSIONS)) for part in inside)


def is_number(node: ast.expr | None) -> bool:
    """Return whether a value is a number, or a product such as ``64 * 1024``."""
    if isinstance(node, ast.BinOp):
        return is_number(node.left) and is_number(node.right)
    if isinstance(node, ast.UnaryOp):
        return is_number(node.operand)
    return isinstance(node, ast.Constant) and type(node.value) in {int, float}


def print_density(checkout: Path) -> None:
    print(
        f"\n{checkout.name}".ljust(20),
        *(f"{column:>15}" for column in COLUMNS),
        "conditionals, comprehensions per 1,000",
    )
    for package, counts in sorted(density(modules_of(checkout)).items()):
        shares = [1_000 * counts[kind] / max(counts["lines"], 1) for kind in ("conditionals", "comprehensions")]
        print(
            f"{package:19}", *(f"{counts[column]:>15,}" for column in COLUMNS), *(f"{share:15.1f}" for share in shares)
        )


def largest(modules: dict[str, Module], kinds: Any) -> list[str]:
    found = [
        ((node.end_lineno or 0) - node.lineno + 1, f"{name.removeprefix('rpcexplorer.')}.{node.name}")
        for name, module in modules.items()
        for node in ast.walk(module.tree)
        if isinstance(node, kinds)
    ]
    return [f"{lines} {name}" for lines, name in sorted(found, reverse=True)[:10]]


def run(checkout: Path, script: str) -> list[Any]:
    """Run a script with the modules of a checkout; return its report."""
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(checkout)!r})\n{script}"]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)
    reports = [line for line in done.stderr.splitlines() if line.startswith("FIGURES")]
    if not reports:
        raise SystemExit(done.stderr)
    figures: list[Any] = json.loads(reports[0].removeprefix("FIGURES"))
    return figures


def measure(checkout: Path) -> dict[str, object]:
    modules = modules_of(checkout)
    importers: dict[str, set[str]] = defaultdict(set)
    for name, module in modules.items():
        for other in imports(name, module.tree, set(modules)):
            importers[other].add(name)
    files = [name for name in modules if not (checkout / name.replace(".", "/") / "__init__.py").is_file()]
    of_one = [name for name in files if len(importers[name]) == 1]
    lines = {name: module.text.count("\n") for name, module in modules.items()}
    strings = [node for module in modules.values() for node in docstrings(module.tree)]
    functions, used_once = count_functions(modules)
    person = next(name for name, module in modules.items() if "\nclass PersonOnScreen" in module.text)
    called, on_stack, names = run(checkout, SENDING.replace("PERSON_MODULE", person))
    tests = [path.read_text(encoding="utf-8") for path in (checkout / "tests").rglob("*.py")]
    return {
        "lines": sum(lines.values()),
        "lines of docstrings": sum((node.end_lineno or 0) - node.lineno + 1 for node in strings),
        "lines of tests": sum(text.count("\n") for text in tests),
        "statements": sum(count_statements(module.tree) for module in modules.values()),
        "files": len(modules),
        "folders": len({path.parent for path in (checkout / "rpcexplorer").rglob("*.py")}),
        "files with one importer": len(of_one),
        "of them under 200 lines": sum(lines[name] < 200 for name in of_one),
        "functions": functions,
        "functions used at one place": used_once,
        "longest chain of our classes": longest_chain(modules),
        "modules that a call loads": run(checkout, CALL)[0],
        "modules that the first screen loads": run(checkout, FIRST_SCREEN.replace("PERSON_MODULE", person))[0],
        "functions run between F5 and socket": called,
        "functions nested from F5 to socket": on_stack,
        "nested from F5 to socket": names,
        "actions asked about for F5": run(checkout, ASKED.replace("PERSON_MODULE", person))[0],
        "largest classes": largest(modules, ast.ClassDef),
        "largest functions": largest(modules, (ast.FunctionDef, ast.AsyncFunctionDef)),
    }


def main() -> None:
    checkouts = [Path(folder).resolve() for folder in sys.argv[1:]] or [Path(__file__).resolve().parents[2]]
    columns = [measure(checkout) for checkout in checkouts]
    for key in columns[0]:
        values = [column[key] for column in columns]
        if not isinstance(values[0], list):
            print(f"{key:36}", *(f"{value!s:>18}" for value in values))
            continue
        for checkout, value in zip(checkouts, values, strict=True):
            print(f"{key}, {checkout.name}:", *value, sep="\n  ")  # type: ignore[misc]
    for checkout in checkouts:
        print_density(checkout)


if __name__ == "__main__":
    main()
