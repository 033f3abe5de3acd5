"""Labels of points that overlap neither each other nor the points."""
import numpy as np
from matplotlib.legend import Legend
from matplotlib.text import Text

from . import style

# Offsets of a label from its point, in points (1/72 inch), and the cost of the distance; nearest first.
_OFFSETS = [(dx * reach, dy * reach, 40 * (reach - 1)) for reach in (1.0, 1.8, 3.0, 4.6, 6.5) for dx, dy in
            ((9, 9), (-9, 9), (9, -9), (-9, -9), (14, 0), (-14, 0), (0, 14), (0, -14), (14, 6), (14, -6),
             (-14, 6), (-14, -6))]
MOST_HIDDEN = 1  # marked points beneath a label


def _overlap(box, other):
    width = min(box.x1, other.x1) - max(box.x0, other.x0)
    height = min(box.y1, other.y1) - max(box.y0, other.y0)
    return max(width, 0) * max(height, 0)


def inside(dots, box, margin):
    return (
        (dots[:, 0] > box.x0 - margin)
        & (dots[:, 0] < box.x1 + margin)
        & (dots[:, 1] > box.y0 - margin)
        & (dots[:, 1] < box.y1 + margin)
    ).sum()


def _cost(box, spot, placed, marked, line, faint, frame):
    """The cost of what a label and the thin line that leads to it would hide."""
    outside = box.width * box.height - _overlap(box, frame)
    overlap = outside + sum(_overlap(box, other) for other in placed)
    crossed = _crossed(box, spot, placed)
    return (100 * overlap + 1e4 * inside(marked, box, 4) + 200 * crossed + 4 * inside(line, box, 0)
            + inside(faint, box, 2))


def _crossed(box, spot, placed):
    """The length of the thin line from a label to its point that crosses other labels, in samples."""
    leader = _sampled(np.array([spot, [(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2]]))
    return sum(inside(leader, other, 0) for other in placed)


def _sampled(corners):
    """Points every few pixels along a line."""
    if len(corners) < 2:
        return corners
    parts = [np.linspace(a, b, max(2, int(np.hypot(*(b - a)) / 4))) for a, b in zip(corners, corners[1:])]
    return np.concatenate(parts)


def place(axes, points, texts, marked, line, faint):
    """Writes texts[i] near points[i] (data coordinates). Labels avoid the points `marked` and, if possible, the line
    with the vertices `line`, and hide few of the points `faint`. A point gets no label if it is close to one with a
    label, or if its label would hide another one."""
    figure = axes.figure
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    frame = axes.get_window_extent(renderer).padded(-2)
    to_pixels = lambda dots: axes.transData.transform(np.asarray(dots, dtype=float).reshape(-1, 2))
    marked, faint, line = to_pixels(marked), to_pixels(faint), _sampled(to_pixels(line))
    placed = [one.get_window_extent(renderer) for one in axes.get_children() if isinstance(one, Legend)]
    made, labelled = [], []
    for (x, y), spot, text in zip(points, to_pixels(points), texts):
        if any(np.hypot(*(spot - other)) < 0.2 * figure.dpi for other in labelled):
            continue
        labelled.append(spot)
        best = None
        for dx, dy, distance in _OFFSETS:
            note = axes.annotate(
                text,
                (x, y),
                xytext=(dx, dy),
                textcoords="offset points",
                fontsize=8,
                color=style.TEXT_COLOUR,
                linespacing=1.25,
                multialignment="left",
                ha="left" if dx > 0 else "right" if dx < 0 else "center",
                va="bottom" if dy > 0 else "top" if dy < 0 else "center",
                bbox={
                    "boxstyle": "round,pad=0.25",
                    "facecolor": "white",
                    "edgecolor": style.GRID_COLOUR,
                    "linewidth": 0.6,
                    "alpha": 0.92,
                },
                arrowprops={"arrowstyle": "-", "color": style.POINT_COLOUR, "linewidth": 0.6, "shrinkA": 0,
                            "shrinkB": 3},
                zorder=5,
            )
            note.set_in_layout(False)  # labels must not move the axes they were placed on
            note.update_positions(renderer)
            box = Text.get_window_extent(note, renderer).padded(0.06 * figure.dpi)
            cost = distance + _cost(box, spot, placed, marked, line, faint, frame)
            if best is None or cost < best[0]:
                if best is not None:
                    best[1].remove()
                best = (cost, note, box)
            else:
                note.remove()
            if cost == distance:
                break  # nothing is hidden, and the next offsets are not nearer
        covers = any(_overlap(best[2], other) > 0 for other in placed) or _crossed(best[2], spot, placed)
        if covers or inside(marked, best[2], 0) > MOST_HIDDEN:
            best[1].remove()  # no room is left
            continue
        placed.append(best[2])
        made.append(best[1])
    return made
