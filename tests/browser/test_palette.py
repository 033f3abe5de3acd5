"""Colours that can be told from what is behind them, by the formula of WCAG 2."""
import json
import os
from pathlib import Path

import pytest

PALETTES = json.loads((Path(os.environ["PIMDSE_ROOT"]) / "analysis" / "report" / "palette.json").read_text())
TEXT, GRAPHICS = 4.5, 3.0


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_texts_can_be_read_on_every_ground(mode):
    colours = PALETTES[mode]
    for text in ("text", "muted", "selection", "front", "pinA", "pinB", "links"):
        for ground in ("background", "panel", "control"):
            assert contrast(colours[text], colours[ground]) >= TEXT, f"{mode}: {text} on {ground}"


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_marks_and_borders_can_be_seen(mode):
    colours = PALETTES[mode]
    for mark in ("axis", "other", "focus"):
        assert contrast(colours[mark], colours["panel"]) >= GRAPHICS, f"{mode}: {mark}"


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_ramp_goes_from_dark_to_light_and_all_of_it_can_be_seen(mode):
    ramp = PALETTES[mode]["ramp"]
    tones = [luminance(colour) for colour in ramp]
    assert tones == sorted(tones)
    assert min(contrast(colour, PALETTES[mode]["panel"]) for colour in ramp) >= GRAPHICS


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_colours_of_names_can_be_seen_and_told_apart(mode):
    series = PALETTES[mode]["series"]
    assert min(contrast(colour, PALETTES[mode]["panel"]) for colour in series) >= GRAPHICS
    apart = [sum(abs(int(a[i:i + 2], 16) - int(b[i:i + 2], 16)) for i in (1, 3, 5))
             for n, a in enumerate(series) for b in series[:n]]
    assert min(apart) >= 55, f"{mode}: {min(apart)}"


def test_black_on_white_is_21():
    assert round(contrast("#000000", "#ffffff"), 3) == 21
