"""The families that bend: each name with its maker and its share."""

from __future__ import annotations

from collections.abc import Mapping

from ..source import Family

__all__ = ["SOFT"]

SOFT: Mapping[str, Family] = {}
