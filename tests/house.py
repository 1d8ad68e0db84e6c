"""`make check`: the limits of the house: vocabulary, length of modules and functions, folders.

Words that the project once had for terms of the field must not come back as identifiers. Strings
are free: clients and stored rows may keep an old name as an alias.
"""

from __future__ import annotations

import ast
import statistics
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("hearts", "models", "server", "migrations")
ALSO = ("tests", "examples")  # for the vocabulary only

MAX_MODULE_LINES = 350
MAX_MEDIAN_FUNCTION_LINES = 8
MAX_MODULES_IN_A_FOLDER = 15

# The old word: the term of the field.
RETIRED = {
    "slopes": "gradients",
    "odds": "probabilities, policy",
    "learn_back": "backward",
    "think": "forward; search",
    "gains": "advantages",
    "outcomes": "value targets",
    "judge": "gae; belief scorer",
    "decay": "gae_lambda",
    "rate": "learning_rate",
    "rounds": "epochs",
    "moved": "clip_fraction",
    "rows": "features",
    "sums": "accumulator",
    "open_sums": "refresh",
    "see_card": "update",
    "inner": "hidden1",
    "outer": "hidden2",
    "room": "scratch; capacity",
    "surprise": "entropy, negative log-likelihood",
    "race": "racing, successive elimination, sequential halving",
    "figures": "move statistics",
    "findings": "search result",
    "counsel": "auxiliary tree",
    "advice": "auxiliary value",
    "prior": "policy_weight",
    "effort": "chain config",
    "settling": "burn_in",
    "between": "thinning",
    "walk": "chain samples",
    "familiar": "style posterior",
    "belongs": "responsibilities",
    "parts": "services",
    "hall": "table registry",
    "live": "table session",
    "refusal": "api error",
    "course": "event validator",
    "posted_events": "append events",
    "recorded": "record adapter",
    "fragments": "partial history",
    "levelled": "centred rewards",
    "other_hands": "counterfactual worlds",
}

FOREIGN = frozenset({"walk"})  # ast.walk, os.walk


def sources(folders: tuple[str, ...]) -> Iterator[Path]:
    """The Python files of some folders."""
    for folder in folders:
        yield from sorted((ROOT / folder).rglob("*.py"))


def identifiers(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every name that a module defines or uses, with its line."""
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        match node:
            case ast.Name(id=name) | ast.arg(arg=name):
                yield line, name
            case ast.Attribute(attr=name) if name != "parts":  # of a Path
                yield line, name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield line, name
            case ast.keyword(arg=str(name)):
                yield node.value.lineno, name
            case ast.alias(name=name, asname=local):
                yield from ((line, part) for part in (*name.split("."), local) if part)


def retired_words() -> Iterator[str]:
    """Where a retired word is an identifier, or the name of a module."""
    for path in sources(PACKAGES + ALSO):
        place = path.relative_to(ROOT)
        if path.stem.lower() in RETIRED:
            yield f"{place}: say {RETIRED[path.stem.lower()]}"
        for line, name in identifiers(ast.parse(path.read_text("utf-8"))):
            word = name.strip("_").lower()
            if word in RETIRED and name not in FOREIGN:
                yield f"{place}:{line}: {name}: say {RETIRED[word]}"


def too_long() -> Iterator[str]:
    """Modules over the limit, and the median function if it is."""
    functions = []
    for path in sources(PACKAGES):
        text = path.read_text("utf-8")
        lines = text.count("\n")
        if lines > MAX_MODULE_LINES:
            yield f"{path.relative_to(ROOT)}: {lines} lines, more than {MAX_MODULE_LINES}"
        nodes = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef))
        functions += [(node.end_lineno or node.lineno) - node.lineno + 1 for node in nodes]
    median = statistics.median(functions)
    if median > MAX_MEDIAN_FUNCTION_LINES:
        yield f"the median function has {median} lines, more than {MAX_MEDIAN_FUNCTION_LINES}"


def too_full() -> Iterator[str]:
    """Folders with too many modules."""
    modules = (path for path in sources(PACKAGES) if path.stem != "__init__")
    for folder, size in Counter(path.parent for path in modules).items():
        if size > MAX_MODULES_IN_A_FOLDER:
            yield f"{folder.relative_to(ROOT)}: {size} modules, more than {MAX_MODULES_IN_A_FOLDER}"


def main() -> None:
    """Print what is beyond a limit, and exit with 1 if there is anything."""
    found = [*retired_words(), *too_long(), *too_full()]
    sys.stdout.writelines(f"{line}\n" for line in found)
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
