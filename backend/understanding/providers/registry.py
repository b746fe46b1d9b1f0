"""The registry of kinematics providers: command line, conditions, panels and scripts know those in it and no others."""

from __future__ import annotations

import re
from typing import Any, TypeVar

from ...errors import UserError
from .articulated import Articulated
from .composed import Composed
from .elastic import Elastic
from .learned import Learned
from .provider import Provider
from .rig import Rigged
from .rigid import Rigid
from .sheet import Sheet

__all__ = ["AUTOMATIC", "BY_PIECES", "provider_entries", "provider_named", "provider_names", "register", "understands"]

AUTOMATIC = "auto"  # the name under which one is chosen for the mesh
BUILT_IN: tuple[type[Provider], ...] = (Elastic, Rigid, Learned, Articulated, Composed, Sheet, Rigged)
BY_PIECES = frozenset(
    provider.name for provider in (Elastic, Rigid, Composed, Sheet)
)  # that the materials of pieces choose
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")

_registered: dict[str, type[Provider]] = {provider.name: provider for provider in BUILT_IN}
Registered = TypeVar("Registered", bound=type[Provider])


def register(provider: Registered) -> Registered:
    """Adds a provider of one's own, or replaces the one of that name; a class decorator."""
    if (
        not NAME.fullmatch(provider.name)
        or provider.name == AUTOMATIC
        or provider.name in {each.name for each in BUILT_IN}
    ):
        raise ValueError(f"a provider cannot be called {provider.name!r}: take small letters, digits and _")
    _registered[provider.name] = provider
    return provider


def provider_names() -> tuple[str, ...]:
    """All that conditions and commands may ask for."""
    return (AUTOMATIC, *_registered)


def provider_named(name: str) -> type[Provider]:
    """Raises UserError."""
    if name not in _registered:
        known = ", ".join(provider_names())
        raise UserError("bad_provider.unknown", provider=name, known=known)
    return _registered[name]


def understands(name: Any, key: str) -> bool:
    """Whether a provider of that name, of which there may be none, knows what to do with a condition."""
    if name == AUTOMATIC:
        return any(key in provider.keys for provider in _registered.values())
    return name in _registered and key in _registered[name].keys


def provider_entries() -> list[dict[str, Any]]:
    """What menus say of each (JSON), "auto" first: it understands what any of them does."""
    keys = sorted(frozenset().union(*(provider.keys for provider in _registered.values())))
    automatic = {
        "name": AUTOMATIC,
        "label": "Automatic",
        "description": "Look at the shape and choose",
        "icon": "VIEWZOOM",
        "keys": keys,
        "holdable": True,
    }
    return [automatic, *(_entry(provider) for provider in _registered.values() if provider.offered)]


def _entry(provider: type[Provider]) -> dict[str, Any]:
    told = {key: getattr(provider, key) for key in ("name", "label", "description", "icon", "holdable")}
    return told | {"keys": sorted(provider.keys)}
