"""The figures that the layout of the sources is judged by. tests/tidy/tidy.py --summary prints them."""
import ast
from collections import Counter, defaultdict

import ninja_log
from rules import retired
from rules.cycles import arrows
from tree import stem

NARROW = 110
DEAREST = 10
NAMED = 4  # at most so many sources of an output are listed


def summary(tree, catalogue, found, verbose=False, build=None):
    """The lines of the summary; `found` are the violations of all rules."""
    yield from production(tree)
    yield from functions(tree)
    yield from single_users(tree, verbose)
    yield from modules(tree, catalogue)
    yield from retired_words(tree, catalogue)
    yield from tests(tree)
    if build:
        yield from build_cost(build)
    count = Counter(violation.rule for violation in found)
    yield f"violations: {len(found)}" + listing(f"{rule} {n}" for rule, n in count.most_common())


def production(tree):
    lines = {path: tree.text(path).count("\n") for path in tree.production}
    lengths = sorted(lines.values())
    yield (f"production files (sim, models, dse): {len(lines)} with {sum(lengths)} lines; median"
           f" {at(lengths, 0.5)} lines, 95 % have at most {at(lengths, 0.95)}, the longest has {lengths[-1]}")
    widths = [len(line) for path in tree.production for line in tree.text(path).splitlines()]
    narrow = sum(width <= NARROW for width in widths) / len(widths)
    yield f"columns: {narrow:.1%} of the production lines have at most {NARROW}, the widest has {max(widths)}"


def functions(tree):
    """Lengths of all functions with a body, including those of tests and of Python."""
    lengths = [d.last_line - d.line + 1 for path in tree.sources for d in tree.declarations(path)
               if d.kind == "function" and d.defined]
    for path in tree.named(".py"):
        lengths += [node.end_lineno - node.lineno + 1 for node in ast.walk(ast.parse(tree.text(path)))
                    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    lengths.sort()
    yield (f"functions: {len(lengths)}; median {at(lengths, 0.5)} lines, 95 % have at most {at(lengths, 0.95)},"
           f" the longest has {lengths[-1]}")


def single_users(tree, verbose):
    """Headers that exactly one production file besides their own .cpp includes: candidates for a merge."""
    users = users_of(tree, tree.production)
    single = sorted(header for header, names in users.items() if len(names) == 1)
    tested = users_of(tree, tree.named(".cpp", ".hpp", under=("tests",)))
    private = [header for header in single if not tested.get(header)]
    yield (f"headers that exactly one production file besides their own .cpp includes: {len(single)} of {len(users)};"
           f" no test includes {len(private)} of them")
    for header in single if verbose else ():
        yield (f"  {header} ({tree.text(header).count(chr(10))} lines): {users[header][0]}"
               + ("" if header in private else f", and {len(tested[header])} test files"))


def users_of(tree, files):
    """{production header: [file of `files` that includes it, except its own .cpp]}"""
    users = {path: [] for path in tree.production if path.endswith(".hpp")}
    for path in files:
        for name in sorted({name for _, name in tree.includes(path)}):
            if name in users and stem(name) != stem(path):
                users[name].append(path)
    return users


def modules(tree, catalogue):
    included, _ = arrows(tree, catalogue.module)
    count = len({catalogue.module(path) for path in tree.production})
    hidden = {pair for pair in forward_arrows(tree, catalogue) if pair[1] not in included.get(pair[0], ())}
    yield (f"modules: {count} with {sum(map(len, included.values()))} arrows between them;"
           f" forward declarations hide {len(hidden)} more" + listing(f"{a} -> {b}" for a, b in sorted(hidden)))


def forward_arrows(tree, catalogue):
    """(module, other module) for every type of another module that a source declares forward."""
    homes = defaultdict(set)
    for path in tree.production:
        for d in tree.declarations(path):
            if d.kind in ("type", "enum") and not d.owner:
                homes[d.inside, d.name].add(catalogue.module(path))
    for path in tree.production:
        for d in tree.declarations(path):
            targets = homes[d.inside, d.name] if d.kind == "forward" else set()
            if targets and catalogue.module(path) not in targets:
                yield catalogue.module(path), min(targets)


def retired_words(tree, catalogue):
    words = retired.Vocabulary(catalogue["retired"])
    found = sum(1 for _ in retired.found(tree, words))
    yield f"retired words: {len(words.entries)}, of which sources and pages contain {found}"


def tests(tree):
    lines = Counter()
    for path in tree.named(".cpp", ".hpp", ".py", ".js", under=("tests",)):
        lines["benchmarks" if path.startswith("tests/bench/") else "tests"] += tree.text(path).count("\n")
    ours = sum(tree.text(path).count("\n") for path in tree.production)
    yield (f"lines of tests: {lines['tests']}, {lines['tests'] / ours:.2f} per production line;"
           f" benchmarks: {lines['benchmarks']} lines")


def build_cost(build):
    found = ninja_log.edges(build)
    total = sum(edge.seconds for edge in found)
    yield (f"build in {build}: {len(found)} edges, {total:.0f} s (elapsed time of each edge in its last run, added up;"
           " the log has no CPU times)")
    for owner, kinds in ninja_log.seconds_by_kind(found).items():
        parts = (f"{kind} {seconds:.0f} s in {count}" for kind, (count, seconds)
                 in sorted(kinds.items(), key=lambda item: -item[1][1]))
        yield (f"  {owner}: {sum(count for count, _ in kinds.values())} edges,"
               f" {sum(seconds for _, seconds in kinds.values()):.0f} s" + listing(parts))
    yield f"  the {min(DEAREST, len(found))} dearest outputs:"
    for edge in found[:DEAREST]:
        names = [*edge.sources[:NAMED], *(["..."] if len(edge.sources) > NAMED else [])]
        sources = f" ({len(edge.sources)} sources: {', '.join(names)})" if len(edge.sources) > 1 else ""
        yield f"    {edge.seconds:6.1f} s  {edge.output}{sources}"


def at(ordered, share):
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def listing(parts):
    text = ", ".join(parts)
    return f" ({text})" if text else ""
