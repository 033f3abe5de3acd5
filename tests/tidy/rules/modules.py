"""Every folder with sources is a module of the catalogue, has its namespace, and includes only modules listed there."""
import re

from catalogue import folder_of
from tree import Violation

NAME = "modules"


def check(tree, catalogue):
    yield from unknown_and_empty(tree, catalogue)
    yield from named_after_folders(catalogue)
    for path in tree.production:
        if module := catalogue.modules.get(catalogue.module(path)):
            yield from arrows(tree, catalogue, module, path)
            yield from namespaces(tree, module, path)
    yield from library_headers(tree, catalogue)


def unknown_and_empty(tree, catalogue):
    found = {catalogue.module(path): path for path in reversed(tree.production)}
    for name in sorted(found.keys() - catalogue.modules.keys()):
        text = f"{name} is not a module: move the file, or add the module to {catalogue.name}"
        yield Violation(found[name], 1, NAME, text, name)
    for name in sorted(catalogue.modules.keys() - found.keys()):
        yield Violation(catalogue.name, 1, NAME, f"the module {name} has no sources: remove it", name)


def arrows(tree, catalogue, module, path):
    for line, name in tree.includes(path):
        other = catalogue.module(name)
        if not module.may_include(other):
            text = f"{module.name} may not include {other} ({name}): reverse the dependency"
            yield Violation(path, line, NAME, text, other)


def named_after_folders(catalogue):
    """The namespace of a module is its folder, or the folder above it if the catalogue gives a reason."""
    shared = catalogue["shares_namespace"]
    for name, module in catalogue.modules.items():
        *above, last = folder_of(name).split("/")
        wanted = "::".join(["pimdse", *above] if folder_of(name) in shared else ["pimdse", *above, last])
        if module.namespace != wanted:
            text = (f"the module {name} has the namespace {module.namespace} instead of {wanted}: rename it, or add the"
                    " reason to shares_namespace")
            yield Violation(catalogue.name, 1, NAME, text, name)
    for folder in shared.keys() - {folder_of(name) for name in catalogue.modules}:
        yield Violation(catalogue.name, 1, NAME, f"shares_namespace lists {folder}, which is not a module", folder)


def namespaces(tree, module, path):
    """Sources declare names in the namespace of their module only, except forward declarations of other types."""
    for d in tree.declarations(path):
        found = "::".join(part for part in d.inside if part)
        if d.kind != "forward" and found.startswith("pimdse") and not f"{found}::".startswith(f"{module.namespace}::"):
            text = f"the namespace {found} is not that of {module.name}: use {module.namespace}"
            yield Violation(path, d.line, NAME, text, found)
            return


def library_headers(tree, catalogue):
    """Only the files that the catalogue names include certain library headers."""
    for header, homes in catalogue["only_in"].items():
        for path in tree.production:
            match = re.search(rf"^#include <{re.escape(header)}>", tree.text(path), re.M)
            if match and path not in homes:
                line = tree.text(path).count("\n", 0, match.start()) + 1
                text = f"only {', '.join(homes)} may include <{header}>: call the functions there"
                yield Violation(path, line, NAME, text, header)
