"""The numbers of docs/evidence.md are those of the generated pages that it sums up."""
import re

from conftest import ROOT

PAGE = " ".join((ROOT / "docs/evidence.md").read_text(encoding="utf-8").split())
VALIDATION, COVERAGE, PERFORMANCE = (
    (ROOT / f"docs/generated/{name}.md").read_text(encoding="utf-8")
    for name in ("validation", "coverage", "performance"))


def test_published_figures():
    said = re.search(r"\*\*Summary\.\*\* (.*)", VALIDATION)[1]
    claims, papers, reproduced, fitted, shown, contradicted, missing = re.findall(r"\d+", said)[:7]
    assert f"{claims} claims of {papers} papers" in PAGE
    for number, words in ((reproduced, "are reproduced"), (fitted, "are met by"), (shown, "are shown"),
                          (contradicted, "are contradicted"), (missing, "are not modelled")):
        assert f"{number} {words}" in PAGE, words
    near = dict(re.findall(r"\d+ (gated|fitted|shown) figures are ([\d.]+) % off", said))
    gated = re.search(r"gated figures are [\d.]+ % off in the median, and nine of ten within ([\d.]+) %", said)[1]
    assert f"{near['gated']} % off in the median, and nine of ten within {gated} %" in PAGE
    assert f"are {near['shown']} % off" in PAGE


def test_items_of_papers():
    items, yes, partly, no = re.search(r"^\| all \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|", COVERAGE, re.M).groups()
    assert f"Of {items} mechanisms" in PAGE and f"{yes} are modelled" in PAGE and f"{partly} partly, {no} not" in PAGE


def test_intervals_and_errors():
    rows = [(int(missed), int(of)) for missed, of in re.findall(r"\| (\d+) of (\d+) \|", PERFORMANCE)]
    assert sum(missed for missed, _ in rows) == 0 and f"none of {sum(of for _, of in rows):,} intervals" in PAGE
    random = PERFORMANCE[:PERFORMANCE.index("## Shipped spaces")]
    errors = [(float(median), float(late)) for median, late in
              re.findall(r"analytic .*\| ([\d.]+) \(([\d.]+)\) \| \d+ of", random)]
    assert len(errors) == 4 and max(median for median, _ in errors) < 1
    assert f"at worst {max(late for _, late in errors):.0f} % at the 95th" in PAGE
    medians = [1e3 * float(median) for median in re.findall(
        r"^\| \w+ \| ([\d.]+) \|", PERFORMANCE[PERFORMANCE.index("## The analytic level alone"):], re.M)]
    assert 0.9 < min(medians) and max(medians) < 10


def test_what_exact_searches_simulate():
    """The table of costs in docs/searching.md."""
    searching = (ROOT / "docs/searching.md").read_text(encoding="utf-8")
    spaces = (ROOT / "docs/generated/shipped_spaces.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| ([\d,]+) \| ([\d,]+) \| ([\d.]+) % \| ([\d,]+) \|$", searching, re.M)
    assert len(rows) == 4
    for name, designs, simulated, share, front in rows:
        section = spaces[spaces.index(f"\n## {name}\n"):]
        said = re.search(r"([\d,]+) designs, ([\d,]+) of them evaluated at cycle level, ([\d,]+) on the front", section)
        assert said.groups() == (designs, simulated, front), name
        exact = 100 * float(simulated.replace(",", "")) / float(designs.replace(",", ""))
        assert abs(float(share) - exact) <= 0.01 * exact + 1e-9, name
