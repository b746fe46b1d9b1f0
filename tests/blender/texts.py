"""Finds what an artist reads: in registered classes, and in the code that draws and reports."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import bpy

__all__ = ["DEFAULT", "OPERATOR", "Found", "composed_texts", "texts_of_classes", "texts_of_code"]

DEFAULT, OPERATOR = "*", "Operator"
"""Contexts in which Blender looks a text up: that of buttons and titles of operators, and that of all else."""

Variables = dict[str, list[ast.expr]]
TRANSLATING = {"iface_", "rpt_", "tip_", "data_"}
# Function -> which of its arguments an artist reads.
SPOKEN = {
    "report": (1,),
    "poll_message_set": (0,),
    "has_view": (2,),
    "draw_text": (2,),
    "_title": (1,),
    "set_status_text": (0,),
    "Refusal": (0, 1),
    "Notice": (0, 1),
    "_refuse": (0, 1),
    "Candidate": (0,),
    "abort": (0,),
    "end": (0, 1),
    "ProviderEntry": (1, 2),
    **dict.fromkeys(TRANSLATING, (0,)),
}
SPOKEN_KEYWORDS = {"text", "heading", "message", "remedy", "stage", "hint", "explanation", "template", "reason"}
SPOKEN_ATTRIBUTES = {"status"}  # of classes


@dataclass(frozen=True)
class Found:
    """A text, its context, and where it is said."""

    context: str
    text: str
    where: str


def _of_properties(properties, owner: str) -> Iterator[Found]:
    for item in properties:
        if item.is_hidden:
            continue
        where = f"{owner}.{item.identifier}"
        yield Found(item.translation_context, item.name, where)
        yield Found(DEFAULT, item.description, where)
        for choice in item.enum_items if item.type == "ENUM" else ():
            yield Found(item.translation_context, choice.name, where)
            yield Found(DEFAULT, choice.description, where)


def texts_of_classes(classes) -> list[Found]:
    """Labels, tooltips, names of properties and of their choices, as Blender has registered them."""
    found: list[Found] = []
    for item in classes:
        ours = [kind for kind in item.__mro__ if kind.__module__.partition(".")[0] == item.__module__.partition(".")[0]]
        own = {name for kind in ours for name in vars(kind).get("__annotations__", {})}
        properties = item.bl_rna.properties
        if issubclass(item, bpy.types.Operator):
            module, name = item.bl_idname.split(".")
            kind = getattr(getattr(bpy.ops, module), name).get_rna_type()
            found += [Found(OPERATOR, kind.name, item.__name__), Found(DEFAULT, kind.description, item.__name__)]
            properties = kind.properties
        elif issubclass(item, bpy.types.Panel | bpy.types.Menu):
            found.append(Found(item.bl_rna.translation_context, item.bl_label, item.__name__))
        if not issubclass(item, bpy.types.Panel | bpy.types.Menu):
            found += _of_properties([entry for entry in properties if entry.identifier in own], item.__name__)
    return [text for text in found if text.text]


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _spoken(path: Path, tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """(function, what it may come out as) for each expression that an artist reads."""
    constants = _imported_constants(path, tree) | _assigned(tree.body)
    for block in tree.body:
        nodes = list(ast.walk(block))
        local = _assigned(nodes) if isinstance(block, ast.FunctionDef | ast.ClassDef) else {}
        yield from (("status", value) for name in SPOKEN_ATTRIBUTES for value in local.get(name, ()))
        for call in (node for node in nodes if isinstance(node, ast.Call)):
            name = _name(call)
            said = [call.args[position] for position in SPOKEN.get(name, ()) if position < len(call.args)]
            said += [keyword.value for keyword in call.keywords if keyword.arg in SPOKEN_KEYWORDS]
            for leaf in (leaf for each in said for leaf in _leaves(each, constants | local)):
                yield name, leaf


def _leaves(node: ast.expr, variables: Variables) -> Iterator[ast.expr]:
    """What the expression may come out as: both sides of a choice, and what a variable or a dictionary holds."""
    if isinstance(node, ast.IfExp):
        yield from _leaves(node.body, variables)
        yield from _leaves(node.orelse, variables)
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from _leaves(value, variables)
    elif isinstance(node, ast.Name) and node.id in variables:
        for value in variables[node.id]:
            yield from _leaves(value, {name: held for name, held in variables.items() if name != node.id})
    elif isinstance(node, ast.Subscript):
        for held in _leaves(node.value, variables):
            yield from held.values if isinstance(held, ast.Dict) else [node]
    else:
        yield node


def _imported_constants(path: Path, tree: ast.Module) -> Variables:
    """What is imported from modules beside this one."""
    found: Variables = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module is not None:
            source = path.parent.joinpath(*node.module.split(".")).with_suffix(".py")
            names = {alias.name for alias in node.names}
            if source.is_file():
                values = _assigned(ast.parse(source.read_text(encoding="utf-8")).body)
                found |= {name: held for name, held in values.items() if name in names}
    return found


def _files(package: Path) -> Iterator[tuple[str, Path, ast.Module]]:
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package).as_posix()
        if not name.startswith(("backend/", "job/", "languages/", "presets/")):
            yield name, path, ast.parse(path.read_text(encoding="utf-8"))


def _assigned(nodes: Iterable[ast.AST]) -> Variables:
    """What variables are given; those of the functions of a class are not told apart."""
    found: Variables = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, []).append(node.value)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            found.setdefault(node.target.id, []).append(node.value)
    return found


def texts_of_code(package: Path) -> list[Found]:
    """Whole sentences and labels that stand in calls that draw, report or refuse."""
    found = []
    for name, path, tree in _files(package):
        for function, leaf in _spoken(path, tree):
            context = OPERATOR if function == "operator" else DEFAULT
            if isinstance(leaf, ast.Constant) and isinstance(leaf.value, str) and _says_something(leaf.value):
                found.append(Found(context, leaf.value, f"{name}:{leaf.lineno}"))
    return found


def composed_texts(package: Path) -> list[str]:
    """Where words of ours are put together with values before Blender has translated them: `file:line`."""
    found = []
    for name, path, tree in _files(package):
        found += [f"{name}:{leaf.lineno}" for _function, leaf in _spoken(path, tree) if _is_composed(leaf)]
    return sorted(set(found), key=lambda place: (place.partition(":")[0], int(place.partition(":")[2])))


def _says_something(text: str) -> bool:
    return any(letter.isalpha() for letter in text)


def _is_composed(node: ast.expr) -> bool:
    if isinstance(node, ast.JoinedStr):
        parts = [part for part in node.values if isinstance(part, ast.Constant)]
        return any(_says_something(part.value) for part in parts)
    if isinstance(node, ast.BinOp):
        sides = (node.left, node.right)
        return any(
            _is_composed(side) or (isinstance(side, ast.Constant) and isinstance(side.value, str)) for side in sides
        )
    if isinstance(node, ast.Call) and _name(node) == "format" and isinstance(node.func, ast.Attribute):
        return isinstance(node.func.value, ast.Constant)
    return False
