"""Tests of the small C++ reader and of the graph algorithms."""
import textwrap

import cpp
import graph


def seen(text):
    return [(d.kind, "::".join((*d.owner, d.name)), d.defined) for d in cpp.declarations(textwrap.dedent(text))]


def test_kinds_of_declarations_are_distinguished():
    assert seen("""
        namespace a::b {
        struct Point { double x = 1.0; int size() const { return 1; } };
        enum class Kind { one, two };
        using Row = std::vector<Point>;
        template <class T> concept Whole = requires(T t) { t.whole(); };
        struct Later;
        constexpr std::array table{1, 2};
        int count(Point const& p, int many = 3);
        template <> inline int Table<Kind::one>::count<int>() { return 2; }
        }""") == [("type", "Point", True), ("value", "Point::x", False), ("function", "Point::size", True),
                  ("enum", "Kind", True), ("alias", "Row", False), ("type", "Whole", True), ("forward", "Later", False),
                  ("value", "table", True), ("function", "count", False), ("function", "Table::count", True)]


def test_a_constructor_with_a_list_is_one_function():
    d = cpp.declarations("Point::Point(int x)\n    : x_{x}, y_(2) {\n    go();\n}\nint after();\n")
    assert [(x.name, x.owner, x.line, x.last_line) for x in d] == [("Point", ("Point",), 1, 4), ("after", (), 5, 5)]


def test_private_parts_are_known():
    found = cpp.declarations("class A {\n  public:\n    void go();\n  private:\n    void hide();\n};")
    assert [(d.name, d.public) for d in found] == [("A", True), ("go", True), ("hide", False)]


def test_pointers_to_functions_are_values():
    assert seen("struct A { Metrics (*metrics)(); std::function<int(int)> f; };")[1:] \
        == [("value", "A::metrics", False), ("value", "A::f", False)]


def test_texts_comments_and_directives_are_blank():
    text = ('auto a = "struct B {};"; // struct C {};\n#define D struct D {};\n'
            'auto e = R"(struct F {};)"; int g = 1\'000;')
    assert [d.name for d in cpp.declarations(text)] == ["a", "e", "g"]
    assert len(cpp.blank(text)) == len(text)


def test_components_and_their_shortest_cycles():
    edges = {"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": set(), "e": {"e"}}
    assert graph.components(edges) == [["a", "b", "c"]]
    assert graph.shortest_cycle(edges, ["a", "b", "c"]) == ["a", "b", "c", "a"]
