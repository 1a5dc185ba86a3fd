"""Texts that break a rule of the word check, and a sample to judge.

    python -m tests.benchmarks.words [--since COMMIT]     a row for each kind of text
    python -m tests.benchmarks.words --show KIND          the texts of KIND that break a rule, with the rule
    python -m tests.benchmarks.words --sample 150         visible strings, drawn with the hash of the commit as seed

The check finds about a quarter of what an editor finds, and marks harmless sentences too. It reports, and fails on
nothing.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]
RULES: Final = {
    "use is/are": r"\b(stands?|stood)\b",
    "use shows/reports": r"\b(told|tells?|is said|are said|said to be)\b",
    "use a noun": r"\b[Ww]hat (is|was|are|were|it|they|you|came|comes|goes|has|this|that|will|else|of|must|others|an?|the)\b",  # noqa: E501
    "use if/when": r"(^|[,;:.] )[Ww]here (it|they|that|there|an?|the|nothing|nobody|these|its|you|no|what|one|two|some)\b",  # noqa: E501
    "use is not": r"(?<![Tt]here )\b(is|was|are|were|be) (no|none)\b(?! longer)",
    "name the actor": r"\b([Ss]omebody|[Nn]obody|[Ww]hoever|[Aa]nybody)\b",
    "use results/outcome": r"\b(came|comes?|become|becomes|became) of\b|\b(came|comes) to\b",
    "use is replaced by": r"\b(gave|gives?) way\b|\b(takes?|took) (the|its|their) place\b|place of\b",
    "use a current word": r"\b(anew|beside|kin|at hand|slips?|mend(s|ed|ing)?|manners|all the same|as it (is|was)|alike)\b",  # noqa: E501
    "subject first": r"^(Of|In which|To which|By which) |\b(of|from|in|by) which\b",
}
LONGEST_SENTENCE: Final = 25
LONGEST_SUMMARY: Final = 72
LONGEST_TEST_NAME: Final = 8
COMMANDS_OF_CLICK: Final = {"command", "group"}
STYLE_SHEETS: Final = {"CSS", "DEFAULT_CSS", "STYLE"}


class Text(NamedTuple):
    """A text and its place."""

    place: str
    text: str


def visible_strings(tree: ast.Module, path: str) -> Iterator[Text]:
    """Yield visible strings of two words or more, and the help of commands.

    Docstrings and style sheets are skipped.
    """
    hidden: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and (text := ast.get_docstring(node)) and _is_command(node):
            yield Text(f"{path}:{node.lineno}", text)
        match node:
            case ast.Expr(value=ast.Constant() as text_node):
                hidden.add(text_node)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in STYLE_SHEETS:
                hidden.update(ast.walk(value))
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.AST() as value) if name in STYLE_SHEETS:
                hidden.update(ast.walk(value))
            case ast.Call(func=ast.Name(id="regex"), args=args):
                hidden.update(args)
    for node in ast.walk(tree):
        if node in hidden:
            continue
        match node:
            case ast.JoinedStr(values=values):
                hidden.update(ast.walk(node))
                parts = [part.value if isinstance(part, ast.Constant) else "{…}" for part in values]
                text = "".join(str(part) for part in parts)
            case ast.Constant(value=str() as text):
                pass
            case _:
                continue
        if len(re.findall(r"[A-Za-z]{2,}", text)) > 1 and re.search(r"[a-z]\S* \S*[a-zA-Z{]", text):
            yield Text(f"{path}:{node.lineno}", text)


def _is_command(function: ast.FunctionDef) -> bool:
    called = [node.func if isinstance(node, ast.Call) else node for node in function.decorator_list]
    return any(isinstance(node, ast.Attribute) and node.attr in COMMANDS_OF_CLICK for node in called)


def docstrings(tree: ast.Module, path: str) -> Iterator[Text]:
    """Yield every docstring but the help of commands.

    Those after attributes and constants are included.
    """
    commands = {node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and _is_command(node)}
    for node in ast.walk(tree):
        body = None if node in commands else getattr(node, "body", None)
        for statement in body if isinstance(body, list) else ():
            match statement:
                case ast.Expr(value=ast.Constant(value=str() as text)):
                    yield Text(f"{path}:{statement.lineno}", text.strip())


def comments(source: str, path: str) -> Iterator[Text]:
    """Yield the comments, a text for each line, but those for tools."""
    for number, line in enumerate(source.splitlines(), 1):
        if found := re.search(r"(?:^|\s)# (?!type:|noqa|fmt:)(.+)", line):
            yield Text(f"{path}:{number}", found[1])


def sentences(page: str, path: str) -> Iterator[Text]:
    """Yield the sentences of a Markdown page without its examples."""
    prose = re.sub(r"^```.*?^```", "", page, flags=re.MULTILINE | re.DOTALL)
    for paragraph in re.split(r"\n\s*\n|\n(?=[|\-*#]|\d+\. )", prose):
        for sentence in re.split(r"(?<=[.:?!])\s+", " ".join(paragraph.split())):
            if len(sentence.split()) > 1:
                yield Text(path, sentence)


def texts_of(kind: str, since: str = "") -> list[Text]:
    """Return the texts of this kind; of commits those after `since`."""
    product = sorted((ROOT / "rpcexplorer").rglob("*.py"))
    tests = sorted((ROOT / "tests").rglob("*.py"))
    pages = [ROOT / "README.md", *sorted((ROOT / "rpcexplorer" / "manual").glob("*.md"))]
    if kind == "commits":
        log = subprocess.run(
            ["git", "log", "--format=%h %s", f"{since}..HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
        )
        return [Text(*line.split(" ", 1)) for line in log.stdout.splitlines()]
    if kind == "pages":
        return [found for page in pages for found in sentences(page.read_text(encoding="utf-8"), page.name)]
    found: list[Text] = []
    for path in {
        "strings": product,
        "docstrings": product,
        "comments": product + tests,
        "test docstrings": tests,
        "test names": tests,
    }[kind]:
        source = path.read_text(encoding="utf-8")
        tree, place = ast.parse(source), str(path.relative_to(ROOT))
        match kind:
            case "strings":
                found += visible_strings(tree, place)
            case "comments":
                found += comments(source, place)
            case "test names":
                functions = [
                    node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
                ]
                found += [
                    Text(f"{place}:{node.lineno}", node.name) for node in functions if node.name.startswith("test_")
                ]
            case _:
                found += docstrings(tree, place)
    return found


def broken_rules(kind: str, text: str) -> list[str]:
    """Return the names of the rules that a text of this kind breaks."""
    words = text.removeprefix("test_").replace("_", " ") if kind == "test names" else text
    broken = [rule for rule, pattern in RULES.items() if re.search(pattern, words)]
    if kind == "test names" and len(words.split()) > LONGEST_TEST_NAME:
        broken.append(f"at most {LONGEST_TEST_NAME} words")
    if "docstrings" in kind and len(text.partition("\n")[0]) > LONGEST_SUMMARY:
        broken.append(f"at most {LONGEST_SUMMARY} characters")
    if kind in {"strings", "pages"} and any(
        len(part.split()) > LONGEST_SENTENCE for part in re.split(r"(?<=[.:;?!])\s|\n\s*\n|\|", text)
    ):
        broken.append(f"at most {LONGEST_SENTENCE} words")
    if kind == "commits" and (len(text) > LONGEST_SUMMARY or re.search(r"^(\S+: )?(A|The|What|Of|Where)\b", text)):
        broken.append("imperative, at most 72 characters")
    return broken


KINDS: Final = ("pages", "strings", "docstrings", "comments", "test docstrings", "test names", "commits")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--since", default="HEAD~20", help="first commit of the row of commits, without itself")
    options.add_argument("--show", choices=KINDS)
    options.add_argument("--under", default="", help="only of this folder")
    options.add_argument("--sample", type=int)
    chosen = options.parse_args()
    if chosen.sample:
        seed = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.strip()
        drawn = random.Random(seed).sample(texts_of("strings"), chosen.sample)
        print(f"seed {seed}")
        for number, (place, text) in enumerate(sorted(drawn), 1):
            print(f"{number:>3}  {place}  {text!r}")
        return
    for kind in [chosen.show] if chosen.show else KINDS:
        found = [text for text in texts_of(kind, chosen.since) if text.place.startswith(chosen.under)]
        broken = [(text, rules) for text in found if (rules := broken_rules(kind, text.text))]
        if chosen.show:
            for (place, text), rules in broken:
                print(f"{place}  [{', '.join(rules)}]  {text!r}")
        print(f"{kind:<16} {len(found):>6} texts {len(broken):>6} break a rule")


if __name__ == "__main__":
    main()
