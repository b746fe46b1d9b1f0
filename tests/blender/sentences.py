"""Finds the sentences that the backend process says to an artist, in its source: each as a template with {} for values.

Expressions are followed to where their words come from: both sides of a choice, variables, constants of the module,
and parameters, to all calls of their function. What is no text there is a value. So is what stands in quotes, which
is a name that nobody translates, and what a function gives inside of a sentence; PHRASES are such functions, whose
words are sentences of their own.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

__all__ = ["PLACE", "sentences_of", "worker_modules"]

PLACE = "{}"
# Function -> which of its arguments an artist reads.
SPEAKERS = {
    "UserError": (1, 2),
    "ProtocolError": (0,),
    "Refuse": (1, 2),
    "Coordinates": (0,),
    "fail": (1, 2),
    "lose_worker": (1, 2),
    "end": (2, 3),
    "tell": (0,),
    "progress": (0,),
    "begin": (1,),
}
PHRASES = {"activity", "_cause", "shown"}
SEVERAL = (ast.Tuple, ast.List)
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class _Scope:
    """Functions around an expression, innermost first, and the module around these."""

    functions: tuple[Function, ...]
    module: ast.Module


def worker_modules(root: Path) -> list[Path]:
    """What of the backend the worker imports, directly or not; but `backend.data`, of which it uses arrays only."""
    files = {".".join(path.relative_to(root).with_suffix("").parts): path for path in (root / "backend").rglob("*.py")}
    files = {name.removesuffix(".__init__"): path for name, path in files.items()}
    found: set[str] = set()
    waiting = ["backend.worker.server", "backend.engine"]  # the second one is imported by name, at the first request
    while waiting:
        name = waiting.pop()
        if name in files and name not in found and not name.startswith("backend.data"):
            found.add(name)
            waiting += _imported(name, files[name])
    return sorted(files[name] for name in found)


def _imported(name: str, path: Path) -> Iterator[str]:
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            above = package.split(".")[: 1 - node.level or None] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{each.name}" for each in node.names)


def sentences_of(paths: Iterable[Path]) -> dict[str, str]:
    """Template -> where it is said."""
    return _Reader(paths).said()


class _Reader:
    def __init__(self, paths: Iterable[Path]) -> None:
        self._names: dict[ast.Module, str] = {}
        self._scopes: dict[ast.AST, _Scope] = {}
        self._calls: dict[str, list[ast.Call]] = {}
        self._functions: dict[str, list[Function]] = {}
        for path in paths:
            tree = ast.parse(path.read_text(encoding="utf-8"))
            self._names[tree] = path.name
            self._enter(tree, _Scope((), tree))

    def _enter(self, node: ast.AST, scope: _Scope) -> None:
        self._scopes[node] = scope
        if isinstance(node, ast.Call):
            self._calls.setdefault(_called(node), []).append(node)
        if isinstance(node, Function):
            self._functions.setdefault(node.name, []).append(node)
            scope = _Scope((node, *scope.functions), scope.module)
        for child in ast.iter_child_nodes(node):
            self._enter(child, scope)

    def said(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for expression in self._spoken():
            scope = self._scopes[expression]
            for template in self._templates(expression, scope, ()):
                if any(letter.isalpha() for letter in template):
                    found.setdefault(template, f"{self._names[scope.module]}:{expression.lineno}")
        return found

    def _spoken(self) -> Iterator[ast.expr]:
        for name, calls in self._calls.items():
            for call in calls:
                yield from (call.args[place] for place in SPEAKERS.get(name, ()) if place < len(call.args))
                yield from (
                    each.value for each in call.keywords if each.arg in ("stage", "warnings", "remedy", "reasons")
                )
                if name == "append" and ast.unparse(call.func) == "warnings.append":
                    yield call.args[0]
        for name in PHRASES:
            for function in self._functions.get(name, ()):
                yield from _returned(function)

    def _templates(self, node: ast.expr, scope: _Scope, inside: tuple[ast.AST, ...]) -> set[str]:
        """All that the expression may come out as; `inside` are the expressions that it is a part of."""
        if node in inside:
            return {PLACE}
        follow = (*inside, node)
        match node:
            case ast.Constant(str(text)):
                assert not re.search(r"\{\d*\}", text), f"a text of the backend has a place for a value: {text}"
                return {text}
            case ast.JoinedStr():
                return self._joined(node, scope, follow)
            case ast.BinOp(op=ast.Add()):
                sides = (self._templates(node.left, scope, follow), self._templates(node.right, scope, follow))
                return {_together(parts) for parts in product(*sides)}
            case ast.IfExp():
                return self._templates(node.body, scope, follow) | self._templates(node.orelse, scope, follow)
            case ast.Tuple() | ast.List():
                return set().union(*(self._templates(each, scope, follow) for each in node.elts))
            case ast.Call(func=ast.Name("tuple"), args=[ast.GeneratorExp(elt=each)]):
                return self._templates(each, scope, follow)
            case ast.Call() if not any(isinstance(each, ast.JoinedStr) for each in inside):
                given = [text for function in self._functions.get(_called(node), ()) for text in _returned(function)]
                texts = [self._templates(text, self._scopes[text], follow) for text in given]
                return set().union(*texts) or {PLACE}
            case ast.Name():
                return self._named(node.id, scope, follow)
        return {PLACE}

    def _joined(self, node: ast.JoinedStr, scope: _Scope, inside: tuple[ast.AST, ...]) -> set[str]:
        parts: list[set[str]] = []
        quoted = False
        for part in node.values:
            if isinstance(part, ast.Constant):
                parts.append({part.value})
                quoted = part.value.endswith("'")
            elif quoted or part.conversion != -1 or part.format_spec is not None:
                parts.append({PLACE})
            else:
                parts.append(self._templates(part.value, scope, inside))
        return {_together(each) for each in product(*parts)}

    def _named(self, name: str, scope: _Scope, inside: tuple[ast.AST, ...]) -> set[str]:
        for function in scope.functions:
            if values := list(_assigned(function, name)):
                return set().union(*(self._templates(value, scope, inside) for value in values))
            parameters = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
            if name in parameters:
                return self._passed(function.name, parameters.index(name), name, inside)
        values = _assigned(scope.module, name)
        return set().union(*(self._templates(value, scope, inside) for value in values)) or {PLACE}

    def _passed(self, function: str, place: int, name: str, inside: tuple[ast.AST, ...]) -> set[str]:
        """What the calls of the function give it; "self" is not among the arguments of a call."""
        found: set[str] = set()
        for call in self._calls.get(function, ()):
            given = [each.value for each in call.keywords if each.arg == name] or call.args[place : place + 1]
            for value in given:
                found |= self._templates(value, self._scopes[value], inside)
        return found or {PLACE}


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _returned(function: Function) -> list[ast.expr]:
    return [node.value for node in ast.walk(function) if isinstance(node, ast.Return) and node.value is not None]


def _assigned(block: ast.AST, name: str) -> Iterator[ast.expr]:
    """The values given to a variable in a function, or in a module outside of its functions."""
    nodes = ast.walk(block) if not isinstance(block, ast.Module) else block.body
    for node in nodes:
        for target in node.targets if isinstance(node, ast.Assign) else ():
            if isinstance(target, ast.Name) and target.id == name:
                yield node.value
            elif isinstance(target, SEVERAL) and isinstance(node.value, SEVERAL):
                pairs = zip(target.elts, node.value.elts, strict=True)
                yield from (value for each, value in pairs if isinstance(each, ast.Name) and each.id == name)


def _together(parts: Sequence[str]) -> str:
    """Values that stand side by side are one."""
    return re.sub(r"(\{\})+", PLACE, "".join(parts))
