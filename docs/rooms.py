#!/usr/bin/python3
"""The rooms of the house, from the includes of its sources.

docs/rooms.py          prints the table that docs/architecture.md quotes
docs/rooms.py --write  puts the table there and draws docs/rooms.svg"""
import sys
from collections import defaultdict
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "tidy"))

from catalogue import Catalogue  # noqa: E402
from tree import LAYERS, Tree  # noqa: E402

BEGIN, END = "<!-- rooms: written by docs/rooms.py --write -->\n", "<!-- end of rooms -->\n"
WIDTH, HEIGHT, GAP, ROW_GAP, EDGE = 174, 44, 14, 56, 20
SWEEPS = 12
COLOURS = {"sim": "#dcebdc", "models": "#dce4f2", "dse": "#f4e6d2"}
STYLE = "text{font-family:sans-serif;font-size:12px;text-anchor:middle}.small{font-size:10px;fill:#555}"


def arrows(tree, catalogue):
    """{room: {room it includes: how many includes}}"""
    found = defaultdict(lambda: defaultdict(int))
    for path in tree.production:
        for _, name in tree.includes(path):
            here, there = catalogue.room(path), catalogue.room(name)
            if here != there:
                found[here][there] += 1
    return found


def sizes(tree, catalogue):
    """{room: (files, lines)}, lines to two digits so that a small change changes nothing here."""
    files, lines = defaultdict(int), defaultdict(int)
    for path in tree.production:
        files[catalogue.room(path)] += 1
        lines[catalogue.room(path)] += tree.text(path).count("\n")
    return {room: (files[room], int(float(f"{lines[room]:.2g}"))) for room in files}


def heights(edges, rooms):
    """Each room stands a row above the highest that it includes, each layer above the one below it."""
    known = {}

    def height(room, ground, on_the_way):
        if room not in known:
            below = (r for r in edges.get(room, ()) if r not in on_the_way)
            known[room] = max([ground] + [1 + height(r, ground, on_the_way | {room}) for r in below])
        return known[room]

    for layer in LAYERS:
        ground = max(known.values(), default=-1) + 1
        for room in sorted(r for r in rooms if r.split("/")[0] == layer):
            height(room, ground, frozenset())
    return known


def nearest(edges):
    """The arrows that say something new: not those that a longer way says, too."""
    def reaches(start, goal, seen):
        for step in edges.get(start, ()):
            if step not in seen:
                seen.add(step)
                if step == goal or reaches(step, goal, seen):
                    return True
        return False

    return {room: {to for to in targets if not any(other != to and reaches(other, to, {room}) for other in targets)}
            for room, targets in edges.items()}


def order(room):
    return LAYERS.index(room.split("/")[0]), room


def table(tree, catalogue):
    size, edges = sizes(tree, catalogue), arrows(tree, catalogue)
    lines = ["| module | contents | files | lines | includes |", "|---|---|---|---|---|"]
    for room in sorted(size, key=order):
        what = catalogue.rooms[room].what if room in catalogue.rooms else "(not in tests/tidy/rooms.toml)"
        uses = ", ".join(f"`{r}`" for r in sorted(edges.get(room, ()), key=order))
        lines.append(f"| `{room}` | {what} | {size[room][0]} | {size[room][1]} | {uses or 'nothing'} |")
    count = sum(len(targets) for targets in edges.values())
    return "\n".join([*lines, "", f"{len(size)} modules, {count} arrows.", ""])


def rows_of(tree, catalogue):
    """{height: [room]}, rooms near what they include and what includes them."""
    rows, edges, middle = defaultdict(list), nearest(arrows(tree, catalogue)), {}
    for room, height in sorted(
        heights(arrows(tree, catalogue), sizes(tree, catalogue)).items(), key=lambda item: order(item[0])
    ):
        rows[height].append(room)
    near = {room: [*edges.get(room, ()), *(r for r in edges if room in edges[r])] for room in sizes(tree, catalogue)}
    for sweep in range(SWEEPS):
        for height in sorted(rows, reverse=sweep % 2):
            at = {room: mean([middle[n] for n in near[room] if n in middle]) for room in rows[height]}
            rows[height].sort(key=lambda room: (at[room], order(room)))
            middle.update({room: i - (len(rows[height]) - 1) / 2 for i, room in enumerate(rows[height])})
    return rows


def mean(numbers):
    return round(sum(numbers) / len(numbers), 6) if numbers else 0


def places(tree, catalogue):
    """{room: (x, y)} of the upper left corners, and the size of the drawing."""
    rows = rows_of(tree, catalogue)
    widest, top = max(map(len, rows.values())), max(rows)
    found = {}
    for height, rooms in rows.items():
        left = EDGE + (widest - len(rooms)) * (WIDTH + GAP) / 2
        for i, room in enumerate(rooms):
            found[room] = left + i * (WIDTH + GAP), EDGE + (top - height) * (HEIGHT + ROW_GAP)
    return found, 2 * EDGE + widest * (WIDTH + GAP) - GAP, 2 * EDGE + (top + 1) * (HEIGHT + ROW_GAP) - ROW_GAP


def box(room, x, y, size):
    middle = x + WIDTH / 2
    colour = COLOURS[room.split("/")[0]]
    return (f'<rect x="{x:g}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}" rx="5" fill="{colour}" stroke="#444"/>'
            f'<text x="{middle:g}" y="{y + 20:g}">{escape(room)}</text>'
            f'<text class="small" x="{middle:g}" y="{y + 36:g}">{size[0]} files, {size[1]} lines</text>')


def arrow(start, end):
    (x1, y1), (x2, y2) = start, end
    x1, x2, y1 = x1 + WIDTH / 2, x2 + WIDTH / 2, y1 + HEIGHT
    bend = ROW_GAP * 0.8
    curve = f"M{x1:g} {y1:g}C{x1:g} {y1 + bend:g} {x2:g} {y2 - bend:g} {x2:g} {y2 - 3:g}"
    return f'<path d="{curve}" fill="none" stroke="#777" marker-end="url(#tip)"/>'


def drawing(tree, catalogue):
    place, width, height = places(tree, catalogue)
    size, edges = sizes(tree, catalogue), nearest(arrows(tree, catalogue))
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}">\n<style>{STYLE}</style>\n'
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            '<path d="M0 0L8 4L0 8z" fill="#777"/></marker></defs>\n<rect width="100%" height="100%" fill="white"/>')
    lines = [arrow(place[a], place[b]) for a in sorted(edges) for b in sorted(edges[a])]
    boxes = [box(room, *place[room], size[room]) for room in sorted(place)]
    return "\n".join([head, *lines, *boxes, "</svg>\n"])


def quoted(page):
    """What stands between the marks of a page."""
    return page.partition(BEGIN)[2].partition(END)[0]


def main():
    tree, catalogue = Tree(ROOT), Catalogue(ROOT / "tests/tidy/rooms.toml")
    if sys.argv[1:] != ["--write"]:
        print(table(tree, catalogue), end="")
        return
    page = ROOT / "docs/architecture.md"
    text = page.read_text()
    if BEGIN not in text or END not in text:
        sys.exit(f"{page} has no place for the table: add the lines {BEGIN.strip()} and {END.strip()}")
    page.write_text(text.replace(BEGIN + quoted(text) + END, BEGIN + table(tree, catalogue) + END))
    (ROOT / "docs/rooms.svg").write_text(drawing(tree, catalogue))


if __name__ == "__main__":
    main()
