"""A reader of C++ that finds the declarations of a file. It knows no types, no overloads and no preprocessor."""
import re
from dataclasses import dataclass, field

COMMENT_OR_TEXT = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<raw>\w*)\(.*?\)(?P=raw)"'
    r'|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Za-z_])\'(?:\\.|[^\'\\\n])*\'', re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.M | re.S)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+([<"])([^>"\n]+)[>"]', re.M)
ACCESS = re.compile(r"\b(public|private|protected)\s*:(?!:)")
TYPE = re.compile(r"(?:struct|class|union)\s+(?:alignas\s*\([^)]*\)\s*)?([\w:]+)")
ENUM = re.compile(r"enum\s+(?:class\s+|struct\s+)?(\w+)")
FUNCTION = re.compile(r"((?:\w+(?:<[^<>]*>)?\s*::\s*)*)"
                      r"(~?\w+|operator\s*(?:\(\s*\)|[^\s(]+|\s\w+))\s*(?:<[^<>()]*>)?\s*\(")
NOT_A_NAME = {"decltype", "noexcept", "requires", "alignas", "explicit", "sizeof", "static_assert"}


def blank(text):
    """The text with spaces for comments and for the contents of literals. Every character keeps its position."""
    def blanked(match):
        found = match.group(0)
        return found[0] + spaces(found)[1:-1] + found[-1] if found[0] in "\"'" else spaces(found)

    return COMMENT_OR_TEXT.sub(blanked, text)


def spaces(text):
    return re.sub(r"[^\n]", " ", text)


def areas(text):
    """The code, the comments and the contents of literals, each with spaces for the other two."""
    comments, strings, end = [], [], 0
    for match in COMMENT_OR_TEXT.finditer(text):
        between, found = spaces(text[end:match.start()]), match.group(0)
        comments += [between, found if found[0] == "/" else spaces(found)]
        strings += [between, spaces(found) if found[0] == "/" else found]
        end = match.end()
    return {"code": blank(text), "comments": "".join(comments), "strings": "".join(strings)}


def blank_directives(code):
    return DIRECTIVE.sub(lambda match: spaces(match.group(0)), code)


@dataclass
class Declaration:
    kind: str  # function, type, enum, alias, value, forward
    name: str
    owner: tuple  # the enclosing classes, or the qualifiers of a definition outside them
    line: int
    last_line: int = 0
    defined: bool = False
    public: bool = True
    inside: tuple = ()  # the enclosing namespaces; an unnamed namespace is ""
    head: str = ""


@dataclass
class Scope:
    kind: str  # namespace, type, body, data
    name: str = ""
    access: str = "public"
    declaration: Declaration = None
    parens: int = 0
    goes_on: bool = False  # the statement continues after the closing brace


@dataclass
class Reader:
    """Scans braces and semicolons; `head` is the text since the end of the last statement."""
    code: str
    found: list = field(default_factory=list)
    scopes: list = field(default_factory=lambda: [Scope("namespace", "")])
    start: int = 0
    parens: int = 0
    tail: bool = False  # between the closing brace of a type and its semicolon

    def run(self):
        for match in re.finditer(r"[(){};]", self.code):
            getattr(self, STEP[match.group(0)])(match.start())
        return self.found

    def open_paren(self, _):
        self.parens += 1

    def close_paren(self, _):
        self.parens -= 1

    def semicolon(self, at):
        if self.parens or self.scopes[-1].kind in ("body", "data"):
            return
        if not self.tail:
            self.note(self.head(at), at, False)
        self.start, self.tail = at + 1, False

    def open_brace(self, at):
        scope = self.scope_of(at)
        scope.parens, self.parens = self.parens, 0
        self.scopes.append(scope)
        if scope.kind in ("namespace", "type"):
            self.start, self.tail = at + 1, False

    def close_brace(self, at):
        if len(self.scopes) == 1:
            return
        scope = self.scopes.pop()
        self.parens = scope.parens
        if scope.declaration:
            scope.declaration.last_line = self.line(at)
        if self.scopes[-1].kind in ("body", "data") or scope.goes_on:
            return
        self.start, self.tail = at + 1, scope.kind in ("type", "data")

    def scope_of(self, at):
        if self.scopes[-1].kind in ("body", "data"):
            return Scope("body")
        if self.parens:
            return Scope("body", goes_on=True)
        head = self.head(at)
        if match := re.match(r"(?:inline\s+)?namespace\b\s*([\w:]*)|extern\b\s*\"", head):
            return Scope("namespace", match.group(1) or "")
        if in_initialisers(head):
            return Scope("body", goes_on=True)
        declaration = self.note(head, at, True)
        if declaration and declaration.kind == "type" and not head.startswith("concept"):
            return Scope("type", declaration.name, "private" if re.match(r"class\b", head) else "public", declaration)
        return Scope("body" if declaration and declaration.kind == "function" else "data", declaration=declaration)

    def head(self, at):
        text = self.code[self.start:at]
        for match in ACCESS.finditer(text):
            self.scopes[-1].access = match.group(1)
        return plain_head(ACCESS.sub(" ", text))

    def line(self, at):
        return self.code.count("\n", 0, at) + 1

    def note(self, head, at, braced):
        kind, name, owner = named(head, braced)
        if not kind:
            return None
        around = [s for s in self.scopes if s.kind == "type"]
        text = ACCESS.sub(lambda m: " " * len(m.group(0)), self.code[self.start:at])
        first = self.start + len(text) - len(text.lstrip())
        inside = tuple(part for s in self.scopes[1:] if s.kind == "namespace" for part in s.name.split("::"))
        owners = tuple(s.name for s in around) + owner
        public = all(s.access == "public" for s in around)
        lines = self.line(first), self.line(at)
        self.found.append(Declaration(kind, name, owners, *lines, braced, public, inside, head))
        return self.found[-1]


STEP = {"(": "open_paren", ")": "close_paren", ";": "semicolon", "{": "open_brace", "}": "close_brace"}


def plain_head(text):
    """The text without attributes, template heads and line ends."""
    text = re.sub(r"\[\[.*?\]\]", " ", text, flags=re.S).strip()
    while match := re.match(r"template\s*<", text):
        text = text[closing_angle(text, match.end()):].strip()
        text = re.sub(r"^requires\b.*?(?=\b(?:struct|class|auto|void|inline|constexpr|std)\b)", "", text, flags=re.S)
    return re.sub(r"\s+", " ", text)


def closing_angle(text, at):
    depth = 1
    while depth and at < len(text):
        depth += {"<": 1, ">": -1}.get(text[at], 0)
        at += 1
    return at


def in_initialisers(head):
    """Whether the brace is that of `a_{x}` in the initialiser list of a constructor."""
    return bool(re.search(r"[\w>]$", head) and re.search(r"\)\s*(?:noexcept\s*)?:(?!:)", head))


def named(head, braced):
    """Kind, name and owner of the declaration with this head."""
    nothing = (None, "", ())
    if not head or re.match(r"(friend|static_assert|using namespace|extern template|typedef)\b", head):
        return nothing
    if match := re.match(r"using (\w+) =", head):
        return "alias", match.group(1), ()
    if head.startswith("using ") or head.startswith("concept ") and not braced and "=" not in head:
        return nothing
    if match := re.match(r"concept (\w+)", head):
        return "type", match.group(1), ()
    if match := ENUM.match(head):
        return ("enum" if braced else "forward"), match.group(1), ()
    match = TYPE.match(head)
    if match and not re.search(r"[(=]", head[match.end():]) and (braced or match.end() == len(head)):
        *owner, name = match.group(1).split("::")
        return ("type" if braced else "forward"), name, tuple(owner)
    return function_or_value(head)


def function_or_value(head):
    for match in FUNCTION.finditer(head):
        before = head[:match.start()]
        if match.group(2) in NOT_A_NAME or in_angles(before):
            continue
        if pointer := re.match(r"\(\s*\*\s*(\w+)", head[match.end() - 1:]):
            return "value", pointer.group(1), ()
        if re.search(r"(?<![=!<>])=(?!=)", before.replace("operator=", "")):
            break
        owner = tuple(part.strip() for part in re.sub(r"<[^<>]*>", "", match.group(1)).split("::") if part.strip())
        return "function", re.sub(r"\s+", " ", match.group(2)), owner
    if re.search(r"=\s*\[", head):
        return "function", value_name(head), ()
    return ("value", value_name(head), ()) if value_name(head) else (None, "", ())


def in_angles(text):
    text = re.sub(r"->|<=>|[<>]=|<<|operator\S*", "", text)
    return text.count("<") > text.count(">")


def value_name(head):
    match = re.search(r"[\w>&*\]]\s+\**&?(?:\w+::)*(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=.*|:\s*\w+)?$", head, re.S)
    return match.group(1) if match else ""


def declarations(text):
    return Reader(blank_directives(blank(text))).run()
