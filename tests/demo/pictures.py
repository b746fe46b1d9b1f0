"""Contact sheets and animated pictures of rendered frames."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw

__all__ = ["animation", "contact_sheet", "side_by_side"]

Picture = Image.Image


def contact_sheet(pictures: Sequence[Picture], numbers: Sequence[int], path: Path) -> None:
    """Twelve pictures spread evenly over the clip, four a row, each with its frame number, as a PNG."""
    chosen = [round(i * (len(pictures) - 1) / 11) for i in range(12)]
    width, height = pictures[0].width * 3 // 4, pictures[0].height * 3 // 4
    sheet = Image.new("RGB", (4 * width, 3 * height))
    for place, index in enumerate(chosen):
        cell = pictures[index].resize((width, height), Image.Resampling.LANCZOS)
        ImageDraw.Draw(cell).text((8, 6), f"frame {numbers[index]}", fill=(40, 40, 40), font_size=14)
        sheet.paste(cell, (place % 4 * width, place // 4 * height))
    sheet.save(path)


def animation(pictures: Sequence[Picture], frames_per_second: float, quality: int, path: Path) -> None:
    """An endless animated WebP."""
    first, *others = pictures
    timing = {"duration": round(1000.0 / frames_per_second), "loop": 0}
    first.save(path, save_all=True, append_images=others, quality=quality, method=2, **timing)


def side_by_side(clips: Sequence[Sequence[Picture]], columns: int, height: int) -> list[Picture]:
    """One clip of all `clips`, so many in a row, each `height` pixels high; the shortest sets the length."""
    joined = []
    for pictures in zip(*clips, strict=False):
        width = pictures[0].width * height // pictures[0].height
        rows = -(-len(pictures) // columns)
        wide = Image.new("RGB", (width * columns, height * rows))
        for place, picture in enumerate(pictures):
            row, column = divmod(place, columns)
            wide.paste(picture.resize((width, height), Image.Resampling.LANCZOS), (column * width, row * height))
        joined.append(wide)
    return joined
