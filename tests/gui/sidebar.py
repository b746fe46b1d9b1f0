"""Finding a button of the sidebar by what it does.

Blender does not tell where its buttons are, and pixel constants differ between versions and themes. But it
does tell what the highlighted button would do ("Copy Python Command" and "Copy Data Path" of the context
menu). So the mouse is moved over the sidebar row by row until the button under it is the wanted one. Places
once found are tried first the next time. Where the panels are longer than the window, it is scrolled.
"""

from pathlib import Path

from PIL import Image
from window import BlenderWindow

__all__ = ["ButtonNotFound", "Sidebar"]

Pixel = tuple[int, int]

ROW_STEP = 11  # pixels; a button is 20 high
COLUMNS = (0.45, 0.2, 0.7)  # parts of the width that are swept in this order
EDGE_FROM_RIGHT = 40  # pixels; the narrow + and - beside a list, left of the category tabs
SCROLL_STEPS = 8
PAGES = 3
ATTEMPTS = 5


class ButtonNotFound(Exception):
    """No button of the sidebar does this."""


class Sidebar:
    """The N-panel of the 3D view, with one category open."""

    def __init__(self, window: BlenderWindow, category: str) -> None:
        self.window = window
        self.category = category
        self.known: dict[str, Pixel] = {}

    def open(self) -> None:
        """Show the sidebar and turn to the category; it exists only after the sidebar was drawn once."""
        window = self.window
        window.ask("view_area().spaces[0].show_region_ui = True; view_area().tag_redraw()")
        window.wait_for(
            f"the sidebar category {self.category}",
            f"""
            region = view_region("UI")
            answer = False
            if region.width > 1:
                try:
                    region.active_panel_category = {self.category!r}
                    region.tag_redraw()
                    answer = region.active_panel_category == {self.category!r}
                except TypeError:  # not drawn yet: the category is no choice so far
                    pass
            """,
            20,
        )
        window.point_at(self.middle())

    def middle(self) -> Pixel:
        left, top, right, bottom = self.window.ask("answer = region_box('UI')")
        return (left + right) // 2, (top + bottom) // 2

    def under(self, pixel: Pixel) -> str:
        """What the button at the pixel does: Python call, data path or ""."""
        x, y = pixel
        self.window.xdotool("mousemove", x - 1, y, "mousemove", x, y)
        self.window.settle()
        return self.window.ask("answer = button_under_mouse()")

    def find(self, action: str) -> Pixel:
        """The middle of the button whose Python call or data path contains `action`."""
        if action in self.known and action in self.under(self.known[action]):
            return self.known[action]
        for page in range(PAGES):
            for _ in range(SCROLL_STEPS if page else 0):
                self._scroll(5)
            pixel = self._sweep(action)
            if pixel is not None:
                self.known[action] = pixel
                return pixel
        raise ButtonNotFound(f"no button of the sidebar does {action}")

    def click(self, action: str) -> None:
        """Click the button; panels that still slide into their places are waited for."""
        for _ in range(ATTEMPTS):
            self.window.point_at(self.find(action))
            if action in self.window.ask("answer = button_under_mouse()"):
                self.window.click_here()
                return
        raise ButtonNotFound(f"the button of the sidebar that does {action} does not keep its place")

    def pixels(self, screenshot: Path) -> bytes:
        """The sidebar's part of a screenshot, to see whether it has changed."""
        with Image.open(screenshot) as picture:
            return picture.crop(self.window.ask("answer = region_box('UI')")).tobytes()

    def _scroll(self, wheel: int) -> None:
        x, y = self.middle()
        self.window.xdotool("mousemove", x, y, "click", wheel, "sleep", 0.03)

    def _sweep(self, action: str) -> Pixel | None:
        left, top, right, bottom = self.window.ask("answer = region_box('UI')")
        columns = [left + round((right - left) * part) for part in COLUMNS]
        for x in [*columns, right - EDGE_FROM_RIGHT]:
            for y in range(top + 8, bottom - 4, ROW_STEP):
                if action in self.under((x, y)):
                    # One more look further down finds the middle of a button that was met at its upper rim.
                    lower = y + ROW_STEP // 2
                    return (x, lower) if action in self.under((x, lower)) else (x, y)
        return None
