#include "sim/noc/program.hpp"

#include "sim/base/check.hpp"
#include "sim/base/number_in.hpp"
#include "sim/base/words.hpp"
#include "sim/noc/open_loop.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <algorithm>
#include <string_view>

namespace pimdse::sim::noc {
namespace {

/// "3" or "3-7", in this direction.
std::string range(std::int32_t first, std::int32_t last) {
    return first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
}

/// A list of nodes that keeps its order: straight runs along a column or a row.
std::string path_text(Mesh mesh, std::vector<Node> const& path) {
    std::string text;
    for (std::size_t first = 0; first < path.size();) {
        std::size_t last = std::min(first + 1, path.size() - 1);
        auto const step = path[last] - path[first];
        while (last + 1 < path.size() && path[last + 1] - path[last] == step &&
               mesh.distance(path[first], path[last + 1]) == static_cast<std::int32_t>(last + 1 - first))
            ++last;
        text += fmt::format(" {},{}", range(mesh.row(path[first]), mesh.row(path[last])),
                            range(mesh.col(path[first]), mesh.col(path[last])));
        first = last + 1;
    }
    return text;
}

/// A set of nodes: rectangles of equal runs in consecutive rows.
std::string set_text(Mesh mesh, std::vector<Node> nodes) {
    struct Rectangle {
        std::int32_t top, bottom, left, right;
    };
    std::sort(nodes.begin(), nodes.end());
    std::vector<Rectangle> rectangles;
    for (std::size_t i = 0; i < nodes.size();) {
        std::int32_t const row = mesh.row(nodes[i]), left = mesh.col(nodes[i]);
        std::int32_t right = left;
        for (++i; i < nodes.size() && nodes[i] == mesh.at(row, right + 1) && right + 1 < mesh.cols; ++i) ++right;
        auto const above = std::find_if(rectangles.begin(), rectangles.end(), [&](Rectangle const& r) {
            return r.bottom + 1 == row && r.left == left && r.right == right;
        });
        if (above == rectangles.end())
            rectangles.push_back({row, row, left, right});
        else
            above->bottom = row;
    }
    std::string text;
    for (auto const& r : rectangles) text += fmt::format(" {},{}", range(r.top, r.bottom), range(r.left, r.right));
    return text;
}

std::vector<Node> members_of(Tree const& tree) {
    std::vector<Node> members;
    for (auto const& branch : tree.branches()) {
        if (branch.member) members.push_back(branch.node);
    }
    return members;
}

/// The routers of a tree that is a path, from one end to the other.
std::vector<Node> nodes_of_path(Tree const& tree) {
    auto const descend = [&](Node node, Port port) {
        std::vector<Node> nodes;
        for (;;) {
            node = tree.neighbour(node, port);
            nodes.push_back(node);
            auto const children = tree.at(node).children;
            if (children == 0) return nodes;
            int next = 0;
            while ((children >> next & 1) == 0) ++next;
            port = static_cast<Port>(next);
        }
    };
    std::vector<std::vector<Node>> arms;
    for (int port = 0; port < ports - 1; ++port) {
        if ((tree.at(tree.root()).children >> port & 1) != 0)
            arms.push_back(descend(tree.root(), static_cast<Port>(port)));
    }
    ensures(arms.size() <= 2, "a tree that is not the union of XY routes is a path");
    std::vector<Node> nodes;
    if (!arms.empty()) nodes.assign(arms[0].rbegin(), arms[0].rend());
    nodes.push_back(tree.root());
    if (arms.size() == 2) nodes.insert(nodes.end(), arms[1].begin(), arms[1].end());
    return nodes;
}

std::string node_text(Mesh mesh, Node node) { return fmt::format("{},{}", mesh.row(node), mesh.col(node)); }

/// "ROOT from NODES", or "ROOT along PATH" if the tree is not the union of XY routes.
std::string tree_text(Mesh mesh, Tree const& tree, std::string_view joint) {
    auto const members = members_of(tree);
    if (std::ranges::equal(tree.branches(), Tree::xy(mesh, tree.root(), members).branches()))
        return fmt::format("{} {}{}", node_text(mesh, tree.root()), joint, set_text(mesh, members));
    return fmt::format("{} along{}", node_text(mesh, tree.root()), path_text(mesh, nodes_of_path(tree)));
}

std::string text_of(Mesh mesh, PhaseMessage const& message) {
    if (auto const* m = std::get_if<Unicast>(&message))
        return fmt::format("send {} {} to {}", m->flits, node_text(mesh, m->source), node_text(mesh, m->destination));
    if (auto const* m = std::get_if<Broadcast>(&message))
        return fmt::format("broadcast {} {}", m->flits, tree_text(mesh, m->tree, "to"));
    if (auto const* m = std::get_if<Reduction>(&message))
        return fmt::format("sum {} {}", m->flits, tree_text(mesh, m->tree, "from"));
    auto const& m = std::get<Chain>(message);
    return fmt::format("chain {} service {} after {} along{}", m.flits, m.service, m.hops_before,
                       path_text(mesh, m.path));
}

constexpr std::int64_t max_flits = 1 << 20;
constexpr std::int64_t max_repeats = 1'000'000;
constexpr double max_service = 1e6, max_work = 1e12;  // cycles
constexpr std::size_t max_mistakes = 20;

/// A mistake in a line; the reader adds file and line.
struct Mistake {
    std::string sentence;
};

/// The words of a line, taken one after the other.
class Line {
  public:
    explicit Line(std::string_view text) {
        std::string plain(text.substr(0, text.find('#')));
        std::replace_if(
            plain.begin(), plain.end(), [](char c) { return c == '\t' || c == '\r'; }, ' ');
        auto const odd = std::find_if(plain.begin(), plain.end(), [](char c) { return c < ' ' || c > '~'; });
        if (odd != plain.end())
            throw Mistake{fmt::format("column {} is not a printable ASCII character (only comments may have others)",
                                      odd - plain.begin() + 1)};
        words_ = words_of(plain, ' ');
    }
    [[nodiscard]] bool done() const { return at_ == words_.size(); }
    [[nodiscard]] std::string next(std::string_view what) {
        if (done()) throw Mistake{fmt::format("the line ends where {} is expected", what)};
        return words_[at_++];
    }
    void expect(std::string_view word) {
        auto const got = next(fmt::format("'{}'", word));
        if (got != word) throw Mistake{fmt::format("'{}' is not '{}'", clipped(got), word)};
    }
    [[nodiscard]] std::string rest() {
        std::string text;
        for (; !done(); ++at_) text += (text.empty() ? "" : " ") + words_[at_];
        return text;
    }

  private:
    std::vector<std::string> words_;
    std::size_t at_ = 0;
};

std::int64_t count(std::string_view text, std::string_view what, std::int64_t min, std::int64_t max) {
    auto const value = number_in<std::int64_t>(text);
    if (!value || *value < min || *value > max)
        throw Mistake{fmt::format("{} '{}' is not a whole number from {} to {}", what, clipped(text), min, max)};
    return *value;
}

struct Span {
    std::int32_t first, last;
};

/// "3" or "3-7" or "7-3" of `size` rows or columns.
Span span_of(std::string_view text, std::string_view what, std::int32_t size) {
    auto const dash = text.find('-');
    auto const side = [&](std::string_view one) { return static_cast<std::int32_t>(count(one, what, 0, size - 1)); };
    auto const first = side(text.substr(0, dash));
    return {first, dash == std::string_view::npos ? first : side(text.substr(dash + 1))};
}

/// Appends the nodes of "ROWS,COLUMNS" in the order of its ranges, row after row.
void add_nodes(Mesh mesh, std::string_view text, std::vector<Node>& nodes) {
    auto const comma = text.find(',');
    if (comma == std::string_view::npos)
        throw Mistake{fmt::format("'{}' is not ROW,COLUMN (a range is written 2-5, as in 2-5,7)", clipped(text))};
    auto const rows = span_of(text.substr(0, comma), "row", mesh.rows),
               cols = span_of(text.substr(comma + 1), "column", mesh.cols);
    auto const each = [](Span const& span, auto const& visit) {
        std::int32_t const step = span.first <= span.last ? 1 : -1;
        for (auto i = span.first; i != span.last + step; i += step) visit(i);
    };
    each(rows, [&](std::int32_t row) { each(cols, [&](std::int32_t col) { nodes.push_back(mesh.at(row, col)); }); });
}

Node node_of(Mesh mesh, std::string_view text) {
    std::vector<Node> nodes;
    add_nodes(mesh, text, nodes);
    if (nodes.size() != 1)
        throw Mistake{fmt::format("'{}' is {} routers, one is expected", clipped(text), nodes.size())};
    return nodes[0];
}

std::vector<Node> nodes_of(Mesh mesh, Line& line) {
    std::vector<Node> nodes;
    do {
        add_nodes(mesh, line.next("ROW,COLUMN"), nodes);
    } while (!line.done());
    return nodes;
}

std::vector<Node> path_of(Mesh mesh, Line& line, bool once) {
    auto const path = nodes_of(mesh, line);
    for (std::size_t i = 1; i < path.size(); ++i) {
        if (mesh.distance(path[i - 1], path[i]) != 1)
            throw Mistake{fmt::format("{} and {} follow each other in the path and are not neighbours",
                                      node_text(mesh, path[i - 1]), node_text(mesh, path[i]))};
    }
    auto sorted = path;
    std::sort(sorted.begin(), sorted.end());
    auto const twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (once && twice != sorted.end())
        throw Mistake{fmt::format("{} occurs twice in the path", node_text(mesh, *twice))};
    return path;
}

/// "ROOT to NODES" or "ROOT along PATH".
Tree tree_of(Mesh mesh, Line& line, std::string_view joint) {
    Node const root = node_of(mesh, line.next("the router of the root"));
    auto const how = line.next(fmt::format("'{}' or 'along'", joint));
    if (how == joint) return Tree::xy(mesh, root, nodes_of(mesh, line));
    if (how != "along") throw Mistake{fmt::format("'{}' is neither '{}' nor 'along'", clipped(how), joint)};
    auto const path = path_of(mesh, line, true);
    auto const at = std::find(path.begin(), path.end(), root);
    if (at == path.end()) throw Mistake{fmt::format("the root {} is not on the path", node_text(mesh, root))};
    return Tree::path(mesh, path, static_cast<std::size_t>(at - path.begin()));
}

/// The next word, a number of cycles; `why` there is such a limit, or nothing.
double cycles_of(Line& line, std::string_view what, double min, double max, std::string_view why = "") {
    auto const text = line.next("a number of cycles");
    auto const value = number_in<double>(text);
    if (value && *value >= min && *value <= max) return *value;
    throw Mistake{
        fmt::format("{} '{}' is not a number of cycles from {} to {:.0f}{}", what, clipped(text), min, max, why)};
}

class ProgramReader {
  public:
    explicit ProgramReader(std::string file) : file_(std::move(file)) {}

    NetworkProgram read(std::istream& in) {
        std::string text;
        for (number_ = 1; std::getline(in, text) && mistakes_.size() < max_mistakes; ++number_) {
            try {
                Line line(number_ == 1 ? without_byte_order_mark(text) : std::string_view(text));
                if (line.done()) continue;
                statement(line);
                if (!line.done()) throw Mistake{fmt::format("'{}' is left over", clipped(line.rest()))};
            } catch (Mistake const& mistake) {
                add(mistake.sentence);
                if (!has_mesh_) break;  // every other line needs it
            }
        }
        if (mistakes_.empty() && program_.stages.empty())
            mistakes_.push_back(
                fmt::format("{}: no stage (a program has lines 'mesh 4x4', 'stage NAME', 'send 8 0,0 to 3,3')", file_));
        if (!mistakes_.empty()) throw InputError(std::move(mistakes_));
        return std::move(program_);
    }

  private:
    void add(std::string const& sentence) { mistakes_.push_back(fmt::format("{}:{}: {}", file_, number_, sentence)); }

    void statement(Line& line) {
        auto const word = line.next("a statement");
        if (word == "mesh") return mesh(line);
        if (!has_mesh_)
            throw Mistake{
                fmt::format("'{}' comes before the mesh. Begin with a line like 'mesh 16x16'?", clipped(word))};
        if (word == "router") return router(line);
        if (word == "stage") return stage(line);
        if (word == "repeat") {
            last(word).phase.repeats =
                static_cast<std::int32_t>(count(line.next("a number"), "repeat", 1, max_repeats));
            return;
        }
        if (word == "compute") return compute(line);
        if (word == "border") {
            auto& border = last(word).border;
            if (border > 0.0) throw Mistake{"a second border (a stage has one, of all its messages)"};
            border = cycles_of(line, word, 0.0, max_work);
            return;
        }
        message(word, line);
    }

    void mesh(Line& line) {
        if (has_mesh_) throw Mistake{"a second mesh (a program has one)"};
        auto const text = line.next("ROWSxCOLUMNS");
        auto const read = mesh_named(text);
        if (!read) throw Mistake{fmt::format("'{}' is not ROWSxCOLUMNS. Did you mean 'mesh 16x16'?", clipped(text))};
        program_.mesh = *read;
        check_size();
        has_mesh_ = true;
    }

    void check_size() const {
        if (auto const why = why_not(program_.mesh, program_.timing); !why.empty()) throw Mistake{why};
    }

    void router(Line& line) {
        if (!program_.stages.empty()) throw Mistake{"'router' comes after a stage (it holds for all of them)"};
        static constexpr std::int64_t shortest = 2, longest = 1000;  // of a link, in cycles
        do {
            auto const field = line.next("fifo, traversal, injection or adder");
            auto& t = program_.timing;
            auto const value = [&](std::int64_t min, std::int64_t max) {
                return static_cast<std::int32_t>(count(line.next("a number"), field, min, max));
            };
            if (field == "fifo")
                t.fifo_flits = value(1, lanes::max);
            else if (field == "traversal")
                t.traversal = value(shortest, longest);
            else if (field == "injection")
                t.injection = value(shortest, longest);
            else if (field == "adder")
                t.adder = value(0, longest);
            else
                throw Mistake{fmt::format("'{}' is not a delay of a router.{}", clipped(field),
                                          suggestion(field, {"fifo", "traversal", "injection", "adder"}))};
        } while (!line.done());
        check_size();
    }

    void stage(Line& line) {
        auto name = line.rest();
        if (name.empty()) throw Mistake{"a stage needs a name"};
        program_.stages.push_back({std::move(name), {}});
    }

    /// The stage to which a statement belongs.
    ProgramStage& last(std::string_view word) {
        if (program_.stages.empty())
            throw Mistake{fmt::format("'{}' comes before the first stage. Add 'stage NAME'?", word)};
        return program_.stages.back();
    }

    void compute(Line& line) {
        auto& work = last("compute").work;
        double const cycles = cycles_of(line, "compute", 0.0, max_work);
        auto unit = line.rest();
        if (unit.empty()) throw Mistake{"the line ends where a unit is expected, as in 'compute 20 crossbars'"};
        work.push_back({cycles, std::move(unit)});
    }

    void message(std::string const& word, Line& line) {
        static std::vector<std::string> const known{"send", "broadcast", "sum", "chain"};
        if (std::find(known.begin(), known.end(), word) == known.end()) {
            auto all = known;
            all.insert(all.end(), {"mesh", "router", "stage", "repeat", "compute", "border"});
            throw Mistake{fmt::format("unknown statement '{}'.{}", clipped(word), suggestion(word, all))};
        }
        auto& messages = last(word).phase.messages;
        auto const on = program_.mesh;
        auto const flits = static_cast<std::int32_t>(count(line.next("a number of flits"), "flits", 1, max_flits));
        if (word == "send") {
            Node const from = node_of(on, line.next("the router of the source"));
            line.expect("to");
            messages.emplace_back(Unicast{from, node_of(on, line.next("the router of the destination")), flits});
        } else if (word == "broadcast") {
            messages.emplace_back(Broadcast{tree_of(on, line, "to"), flits});
        } else if (word == "sum") {
            messages.emplace_back(Reduction{tree_of(on, line, "from"), flits});
        } else {
            Chain chain;
            chain.flits = flits;
            line.expect("service");
            chain.service = cycles_of(line, "service", program_.timing.traversal - 1.0, max_service,
                                      " (the last flit needs traversal - 1 cycles to arrive)");
            line.expect("after");
            chain.hops_before = count(line.next("a number of hops"), "hops", 0, std::int64_t{1} << 40);
            line.expect("along");
            chain.path = path_of(on, line, false);
            messages.emplace_back(std::move(chain));
        }
    }

    std::string file_;
    int number_ = 0;
    bool has_mesh_ = false;
    NetworkProgram program_;
    std::vector<std::string> mistakes_;
};

}  // namespace

void write_program(std::ostream& out, NetworkProgram const& program) {
    auto const& t = program.timing;
    fmt::print(out, "mesh {}x{}\nrouter fifo {} traversal {} injection {} adder {}\n", program.mesh.rows,
               program.mesh.cols, t.fifo_flits, t.traversal, t.injection, t.adder);
    for (auto const& stage : program.stages) {
        fmt::print(out, "\nstage {}\n", stage.name);
        if (stage.phase.repeats != 1) fmt::print(out, "repeat {}\n", stage.phase.repeats);
        if (stage.border > 0.0) fmt::print(out, "border {}\n", stage.border);
        for (auto const& work : stage.work) fmt::print(out, "compute {} {}\n", work.cycles, work.unit);
        for (auto const& message : stage.phase.messages) out << text_of(program.mesh, message) << '\n';
    }
}

std::vector<StageResult> run(NetworkProgram const& program) {
    std::vector<StageResult> results;
    for (auto const& [name, phase, border, work] : program.stages) {
        auto const result = simulate_unless_stuck(program.mesh, program.timing, phase);
        if (!result)
            throw InputError(
                "stage '{}': its broadcasts and sums wait for each other and never end (longer "
                "than a FIFO, and they share links). Put them in stages of their own?",
                clipped(name));
        double cycles = static_cast<double>(result->cycles) + border;
        for (auto const& one : work) cycles = std::max(cycles, one.cycles);
        results.push_back({name, *result, cycles, alone(program.mesh, program.timing, phase),
                           static_cast<std::int64_t>(phase.messages.size()) * phase.repeats});
    }
    return results;
}

NetworkProgram read_program(std::istream& in, std::string const& file) { return ProgramReader(file).read(in); }

}  // namespace pimdse::sim::noc
