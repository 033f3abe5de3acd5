#!/usr/bin/python3
"""The modules of the project and the includes between them.

docs/modules.py          prints the table of the modules
docs/modules.py --write  writes the table to docs/architecture.md and the drawing to docs/modules.svg"""
import sys
from collections import defaultdict
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "tidy"))

from catalogue import Catalogue  # noqa: E402
from tree import LAYERS, Tree  # noqa: E402

BEGIN, END = "<!-- modules: written by docs/modules.py --write -->\n", "<!-- end of modules -->\n"
WIDTH, HEIGHT, GAP, ROW_GAP, EDGE = 174, 44, 14, 56, 20
SWEEPS = 12
COLOURS = {"sim": "#dcebdc", "models": "#dce4f2", "dse": "#f4e6d2"}
STYLE = "text{font-family:sans-serif;font-size:12px;text-anchor:middle}.small{font-size:10px;fill:#555}"


def arrows(tree, catalogue):
    """{module: {included module: number of includes}}"""
    found = defaultdict(lambda: defaultdict(int))
    for path in tree.production:
        for _, name in tree.includes(path):
            here, there = catalogue.module(path), catalogue.module(name)
            if here != there:
                found[here][there] += 1
    return found


def sizes(tree, catalogue):
    """{module: (files, lines)}; lines are rounded to two digits, so that small changes do not change the page."""
    files, lines = defaultdict(int), defaultdict(int)
    for path in tree.production:
        files[catalogue.module(path)] += 1
        lines[catalogue.module(path)] += tree.text(path).count("\n")
    return {module: (files[module], int(float(f"{lines[module]:.2g}"))) for module in files}


def heights(edges, modules):
    """The row of each module: one above the highest module that it includes, and above the layer below."""
    known = {}

    def height(module, lowest, on_the_way):
        if module not in known:
            below = (m for m in edges.get(module, ()) if m not in on_the_way)
            known[module] = max([lowest] + [1 + height(m, lowest, on_the_way | {module}) for m in below])
        return known[module]

    for layer in LAYERS:
        lowest = max(known.values(), default=-1) + 1
        for module in sorted(m for m in modules if m.split("/")[0] == layer):
            height(module, lowest, frozenset())
    return known


def nearest(edges):
    """The arrows without those that a longer path implies."""
    def reaches(start, goal, seen):
        for step in edges.get(start, ()):
            if step not in seen:
                seen.add(step)
                if step == goal or reaches(step, goal, seen):
                    return True
        return False

    return {module: {to for to in targets if not any(other != to and reaches(other, to, {module}) for other in targets)}
            for module, targets in edges.items()}


def order(module):
    return LAYERS.index(module.split("/")[0]), module


def table(tree, catalogue):
    size, edges = sizes(tree, catalogue), arrows(tree, catalogue)
    lines = ["| module | content | files | lines | includes |", "|---|---|---|---|---|"]
    for module in sorted(size, key=order):
        what = catalogue.modules[module].what if module in catalogue.modules else "(not in tests/tidy/modules.toml)"
        uses = ", ".join(f"`{m}`" for m in sorted(edges.get(module, ()), key=order))
        lines.append(f"| `{module}` | {what} | {size[module][0]} | {size[module][1]} | {uses or 'nothing'} |")
    count = sum(len(targets) for targets in edges.values())
    return "\n".join([*lines, "", f"{len(size)} modules, {count} arrows.", ""])


def rows_of(tree, catalogue):
    """{height: [module]}; modules are placed close to the modules that they include or that include them."""
    rows, edges, middle = defaultdict(list), nearest(arrows(tree, catalogue)), {}
    for module, height in sorted(
        heights(arrows(tree, catalogue), sizes(tree, catalogue)).items(), key=lambda item: order(item[0])
    ):
        rows[height].append(module)
    near = {module: [*edges.get(module, ()), *(m for m in edges if module in edges[m])]
            for module in sizes(tree, catalogue)}
    for sweep in range(SWEEPS):
        for height in sorted(rows, reverse=sweep % 2):
            at = {module: mean([middle[n] for n in near[module] if n in middle]) for module in rows[height]}
            rows[height].sort(key=lambda module: (at[module], order(module)))
            middle.update({module: i - (len(rows[height]) - 1) / 2 for i, module in enumerate(rows[height])})
    return rows


def mean(numbers):
    return round(sum(numbers) / len(numbers), 6) if numbers else 0


def places(tree, catalogue):
    """{module: (x, y)} of the upper left vertices, and the size of the drawing."""
    rows = rows_of(tree, catalogue)
    widest, top = max(map(len, rows.values())), max(rows)
    found = {}
    for height, modules in rows.items():
        left = EDGE + (widest - len(modules)) * (WIDTH + GAP) / 2
        for i, module in enumerate(modules):
            found[module] = left + i * (WIDTH + GAP), EDGE + (top - height) * (HEIGHT + ROW_GAP)
    return found, 2 * EDGE + widest * (WIDTH + GAP) - GAP, 2 * EDGE + (top + 1) * (HEIGHT + ROW_GAP) - ROW_GAP


def box(module, x, y, size):
    middle = x + WIDTH / 2
    colour = COLOURS[module.split("/")[0]]
    return (f'<rect x="{x:g}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}" rx="5" fill="{colour}" stroke="#444"/>'
            f'<text x="{middle:g}" y="{y + 20:g}">{escape(module)}</text>'
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
    boxes = [box(module, *place[module], size[module]) for module in sorted(place)]
    return "\n".join([head, *lines, *boxes, "</svg>\n"])


def quoted(page):
    """The text between the two marks of a page."""
    return page.partition(BEGIN)[2].partition(END)[0]


def main():
    tree, catalogue = Tree(ROOT), Catalogue(ROOT / "tests/tidy/modules.toml")
    if sys.argv[1:] != ["--write"]:
        print(table(tree, catalogue), end="")
        return
    page = ROOT / "docs/architecture.md"
    text = page.read_text()
    if BEGIN not in text or END not in text:
        sys.exit(f"{page} has no place for the table: add the lines {BEGIN.strip()} and {END.strip()}")
    page.write_text(text.replace(BEGIN + quoted(text) + END, BEGIN + table(tree, catalogue) + END))
    (ROOT / "docs/modules.svg").write_text(drawing(tree, catalogue))


if __name__ == "__main__":
    main()
