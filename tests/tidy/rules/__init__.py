"""One rule per file. A rule has NAME and check(tree, catalogue), which yields violations."""
from importlib import import_module
from pathlib import Path

ALL = {rule.NAME: rule for rule in
       (import_module(f"rules.{p.stem}") for p in sorted(Path(__file__).parent.glob("*.py")) if p.stem != "__init__")}
