"""How often a running simulation redraws."""

import pytest


def redraws(draw_seconds: float, seconds: float = 10.0) -> int:
    """How many redraws there are when one takes so long and something has changed at every tick."""
    from neurok_blender.operators.feedback import RedrawPace

    pace, now, count = RedrawPace(), 1.0, 0
    while now < 1.0 + seconds:
        now += 0.02
        if pace.is_time(now):
            pace.redrawn()
            count += 1
            now += draw_seconds
    return count


@pytest.mark.parametrize("draw_seconds", [0.05, 0.2, 1.0])
def test_slow_redraws_take_half_of_the_time_at_most(addon, draw_seconds):
    assert 2.0 < redraws(draw_seconds) * draw_seconds <= 5.5


def test_quick_redraws_are_as_frequent_as_one_can_see(addon):
    assert 120 < redraws(0.002) <= 300
