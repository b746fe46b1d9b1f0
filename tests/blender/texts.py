"""Finds what an artist reads: in registered classes, and in the code that draws and reports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import bpy

__all__ = ["DEFAULT", "OPERATOR", "Found", "composed_texts", "texts_of_classes", "texts_of_code"]

DEFAULT, OPERATOR = "*", "Operator"
"""Contexts in which Blender looks a text up: that of buttons and titles of operators, and that of all else."""

TRANSLATING = {"iface_", "rpt_", "tip_", "data_"}
# Function -> which of its arguments an artist reads.
SPOKEN = {
    "report": (1,),
    "poll_message_set": (0,),
    "draw_text": (2,),
    "_title": (1,),
    "set_status_text": (0,),
    "Refusal": (0, 1),
    "Notice": (0, 1),
    "Candidate": (0,),
    "abort": (0,),
    "end": (0, 1),
    **dict.fromkeys(TRANSLATING, (0,)),
}
SPOKEN_KEYWORDS = {"text", "heading", "message", "remedy", "stage", "hint", "explanation", "template", "reason"}


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


def _spoken(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """(function, expression) for each expression that an artist reads."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = _name(call)
        for position in SPOKEN.get(name, ()):
            if position < len(call.args):
                yield name, call.args[position]
        for keyword in call.keywords:
            if keyword.arg in SPOKEN_KEYWORDS:
                yield name, keyword.value


def _leaves(node: ast.expr, constants: dict[str, ast.expr]) -> Iterator[ast.expr]:
    """What the expression may come out as: both sides of a choice, and the value of a constant of the module."""
    if isinstance(node, ast.IfExp):
        yield from _leaves(node.body, constants)
        yield from _leaves(node.orelse, constants)
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from _leaves(value, constants)
    elif isinstance(node, ast.Name) and node.id in constants:
        yield from _leaves(constants[node.id], {})
    else:
        yield node


def _files(package: Path) -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package).as_posix()
        if not name.startswith(("backend/", "languages/", "presets/")):
            yield name, ast.parse(path.read_text(encoding="utf-8"))


def _constants(tree: ast.Module) -> dict[str, ast.expr]:
    assigned = [node for node in tree.body if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)]
    return {node.targets[0].id: node.value for node in assigned}


def texts_of_code(package: Path) -> list[Found]:
    """Whole sentences and labels that stand in calls that draw, report or refuse."""
    found = []
    for name, tree in _files(package):
        constants = _constants(tree)
        for function, expression in _spoken(tree):
            context = OPERATOR if function == "operator" else DEFAULT
            for leaf in _leaves(expression, constants):
                if isinstance(leaf, ast.Constant) and isinstance(leaf.value, str) and _says_something(leaf.value):
                    found.append(Found(context, leaf.value, f"{name}:{leaf.lineno}"))
    return found


def composed_texts(package: Path) -> list[str]:
    """Where words of ours are put together with values before Blender has translated them: `file:line`."""
    found = []
    for name, tree in _files(package):
        constants = _constants(tree)
        for _function, expression in _spoken(tree):
            found += [f"{name}:{leaf.lineno}" for leaf in _leaves(expression, constants) if _is_composed(leaf)]
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
