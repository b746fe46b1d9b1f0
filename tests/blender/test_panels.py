"""What panels say of an object."""


def test_what_was_found_is_told_in_whole_words(addon):
    from neurok_blender.panels.object import found_lines

    summary = {"provider": "learned", "degrees_of_freedom": 1, "parts": 2, "mass": 1.5, "confidence": 0.874}
    assert found_lines(summary) == ["Learned, 1 degree of freedom", "2 parts, 1.5 kg", "Learned motion: 87 % sure"]
    summary |= {"provider": "elastic", "degrees_of_freedom": 24, "parts": 1, "confidence": None}
    assert found_lines(summary) == ["Elastic, 24 degrees of freedom", "1 part, 1.5 kg"]
    del summary["confidence"]
    assert len(found_lines(summary)) == 2
