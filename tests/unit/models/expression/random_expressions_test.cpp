#include "models/expression/expression_parser.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

/// Random expressions of machine files against a tree that evaluates itself.
namespace pimdse::models::random_expressions_test {
namespace {

/// What expressions read, in SI.
struct Readings {
    std::vector<Value> point;
    std::vector<double> numbers;
};

Parameters const drawn_parameters{
    {.name = "rows", .kind = Kind::integer, .default_value = Value::integer(4)},
    {.name = "block", .kind = Kind::integer, .unit = "KiB", .default_value = Value::integer(3)},
    {.name = "delay", .kind = Kind::quantity, .unit = "ns", .default_value = Value::quantity(4e-9)},
    {.name = "mode", .kind = Kind::choice, .default_value = Value::choice(1), .choices = {"slow", "fast", "auto"}},
    {.name = "gated", .kind = Kind::flag, .default_value = Value::flag(true)},
};
MetricList const none_of_metrics;
constexpr sim::Dimension plain{}, seconds{.second = 1}, bytes{.byte = 1}, rate{.second = -1, .byte = 1};
std::vector<NamedNumber> const drawn_names{
    {"lanes", plain}, {"hbm.latency", seconds}, {"hbm.bandwidth", rate}, {"buffer.capacity", bytes}, {"share", plain}};

/// How tightly an expression binds: what stands beside an operator with a higher number needs parentheses.
enum Binding { disjunction, conjunction, negation, comparison, sum, product, sign, atom };

struct Node {
    std::string text;
    int binds = atom;
    std::function<double(Readings const&)> value;  ///< of conditions: 1, 0, or NaN where it is unknown
};

double unknown_or(double a, double b, double known) { return std::isnan(a) || std::isnan(b) ? std::nan("") : known; }

class RandomExpression {
  public:
    explicit RandomExpression(std::uint64_t seed) : random_(seed) {}

    Node number(sim::Dimension const& of, int depth) {
        if (depth == 0) return leaf(of);
        switch (below(of == plain ? 9 : 8)) {
            case 0:
                return binary(" + ", sum, number(of, depth - 1), number(of, depth - 1),
                              [](double a, double b) { return a + b; });
            case 1:
                return binary(" - ", sum, number(of, depth - 1), number(of, depth - 1),
                              [](double a, double b) { return a - b; });
            case 2:
                return binary(" * ", product, number(of, depth - 1), number(plain, depth - 1),
                              [](double a, double b) { return a * b; });
            case 3:
                if (of == rate)
                    return binary(" / ", product, number(bytes, depth - 1), number(seconds, depth - 1),
                                  [](double a, double b) { return a / b; });
                return binary(" / ", product, number(of, depth - 1), number(plain, depth - 1),
                              [](double a, double b) { return a / b; });
            case 4: {
                auto const inner = number(of, depth - 1);
                return {"-" + inside(inner, sign), sign, [inner](Readings const& r) { return -inner.value(r); }};
            }
            case 5:
                return of_two("min", number(of, depth - 1), number(of, depth - 1),
                              [](double a, double b) { return b < a ? b : a; });
            case 6:
                return of_two("max", number(of, depth - 1), number(of, depth - 1),
                              [](double a, double b) { return a < b ? b : a; });
            case 7: {
                auto const where = truth(depth - 1);
                auto const a = number(of, depth - 1), b = number(of, depth - 1);
                return {fmt::format("if({}, {}, {})", where.text, a.text, b.text), atom,
                        [where, a, b](Readings const& r) {
                            double const holds = where.value(r);
                            return std::isnan(holds) ? holds : holds == 1.0 ? a.value(r) : b.value(r);
                        }};
            }
            default: {
                auto const inner = number(plain, depth - 1);
                if (below(2) == 0)
                    return {"floor(" + inner.text + ")", atom,
                            [inner](Readings const& r) { return std::floor(inner.value(r)); }};
                return {"ceil(" + inner.text + ")", atom,
                        [inner](Readings const& r) { return std::ceil(inner.value(r)); }};
            }
        }
    }

    Node truth(int depth) {
        switch (below(depth > 0 ? 6 : 3)) {
            case 0: {
                static std::vector<std::string> const modes{"slow", "fast", "auto"};
                auto const which = below(3);
                bool const equal = below(2) == 0;
                return {fmt::format("mode {} {}", equal ? "==" : "!=", modes[which]), comparison,
                        [which, equal](Readings const& r) {
                            return (r.point[3].as_choice() == which) == equal ? 1.0 : 0.0;
                        }};
            }
            case 1:
                return {"gated", atom, [](Readings const& r) { return r.point[4].as_flag() ? 1.0 : 0.0; }};
            case 2:
                return compared(depth);
            case 3: {
                auto const inner = truth(depth - 1);
                return {"not " + inside(inner, negation), negation,
                        [inner](Readings const& r) { return 1.0 - inner.value(r); }};
            }
            default:
                return joined(truth(depth - 1), truth(depth - 1), below(2) == 0);
        }
    }

    Readings readings() {
        auto const some = [&](double unit) { return unit * (static_cast<double>(below(4000)) / 500.0 - 1.0); };
        Readings r{default_point(drawn_parameters), {some(8.0), some(1e-6), some(1e9), some(1e6), some(1.0)}};
        r.point[0] = Value::integer(static_cast<std::int64_t>(below(9)));
        r.point[1] = Value::integer(static_cast<std::int64_t>(below(9)));
        r.point[2] = Value::quantity(some(1e-9));
        r.point[3] = Value::choice(below(3));
        r.point[4] = Value::flag(below(2) == 0);
        return r;
    }

  private:
    std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

    std::string inside(Node const& node, int at) {
        return node.binds < at || below(8) == 0 ? "(" + node.text + ")" : node.text;
    }

    Node leaf(sim::Dimension const& of) {
        if (of == plain) {
            switch (below(4)) {
                case 0:
                    return {"rows", atom,
                            [](Readings const& r) { return static_cast<double>(r.point[0].as_integer()); }};
                case 1:
                    return {"lanes", atom, [](Readings const& r) { return r.numbers[0]; }};
                case 2:
                    return {"share", atom, [](Readings const& r) { return r.numbers[4]; }};
                default:
                    return literal("", 1.0, 1.0);
            }
        }
        bool const is_literal = below(2) == 0;
        if (of == seconds) {
            if (is_literal) return literal(" us", 1.0, 1e6);
            if (below(2) == 0) return {"delay", atom, [](Readings const& r) { return r.point[2].as_quantity(); }};
            return {"hbm.latency", atom, [](Readings const& r) { return r.numbers[1]; }};
        }
        if (of == rate) {
            if (is_literal) return literal(" GB/s", 1e9, 1.0);
            return {"hbm.bandwidth", atom, [](Readings const& r) { return r.numbers[2]; }};
        }
        if (is_literal) return literal(" KiB", 1024.0, 1.0);
        if (below(2) == 0)
            return {"block", atom,
                    [](Readings const& r) { return 1024.0 * static_cast<double>(r.point[1].as_integer()); }};
        return {"buffer.capacity", atom, [](Readings const& r) { return r.numbers[3]; }};
    }

    /// `times` / `over` is the unit in SI: either factor is exact, so that the value is the nearest double.
    Node literal(std::string const& unit, double times, double over) {
        double const number = static_cast<double>(1 + below(40)) / 4.0;
        return {fmt::format("{}{}", number, unit), atom, [=](Readings const&) { return number * times / over; }};
    }

    template <class Of>
    Node binary(std::string const& symbol, int binds, Node const& a, Node const& b, Of of) {
        return {inside(a, binds) + symbol + inside(b, binds + 1), binds,
                [a, b, of](Readings const& r) { return of(a.value(r), b.value(r)); }};
    }

    template <class Of>
    Node of_two(std::string const& name, Node const& a, Node const& b, Of of) {
        return {fmt::format("{}({}, {})", name, a.text, b.text), atom, [a, b, of](Readings const& r) {
                    double const x = a.value(r), y = b.value(r);
                    return unknown_or(x, y, of(x, y));
                }};
    }

    Node compared(int depth) {
        static std::vector<sim::Dimension> const dimensions{plain, seconds, bytes, rate};
        static std::vector<std::pair<std::string, std::function<bool(double, double)>>> const symbols{
            {" < ", std::less<>()},           {" <= ", std::less_equal<>()}, {" > ", std::greater<>()},
            {" >= ", std::greater_equal<>()}, {" == ", std::equal_to<>()},   {" != ", std::not_equal_to<>()}};
        auto const& of = dimensions[below(dimensions.size())];
        auto const a = number(of, std::max(0, depth - 1)), b = number(of, std::max(0, depth - 1));
        auto const& [symbol, holds] = symbols[below(symbols.size())];
        return {inside(a, sum) + symbol + inside(b, sum), comparison, [a, b, holds](Readings const& r) {
                    double const x = a.value(r), y = b.value(r);
                    return unknown_or(x, y, holds(x, y) ? 1.0 : 0.0);
                }};
    }

    /// Unknown only where neither side decides.
    Node joined(Node const& a, Node const& b, bool both) {
        int const binds = both ? conjunction : disjunction;
        return {inside(a, binds) + (both ? " and " : " or ") + inside(b, binds + 1), binds,
                [a, b, both](Readings const& r) {
                    double const x = a.value(r), y = b.value(r), deciding = both ? 0.0 : 1.0;
                    if (x == deciding || y == deciding) return deciding;
                    return unknown_or(x, y, 1.0 - deciding);
                }};
    }

    std::mt19937_64 random_;
};

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

TEST(RandomExpressions, of_numbers_are_what_their_trees_are) {
    Vocabulary const vocabulary{drawn_parameters, none_of_metrics, drawn_names};
    int compared = 0, unknown = 0;
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        RandomExpression make(seed);
        for (auto const& dimension : {plain, seconds, bytes, rate}) {
            auto const tree = make.number(dimension, static_cast<int>(seed % 5));
            auto const parsed = parse_arithmetic(tree.text, vocabulary);
            ASSERT_EQ(parsed.dimension, dimension) << tree.text;
            for (int i = 0; i < 4; ++i) {
                auto const at = make.readings();
                double const expected = tree.value(at);
                ASSERT_TRUE(same(parsed.expression.number(at.point, {}, at.numbers), expected))
                    << tree.text << ": " << parsed.expression.number(at.point, {}, at.numbers) << ", not " << expected;
                ++compared;
                unknown += std::isnan(expected) ? 1 : 0;
            }
        }
    }
    EXPECT_GT(compared, 50'000);
    EXPECT_GT(unknown, 10);
}

TEST(RandomExpressions, of_conditions_are_what_their_trees_are) {
    Vocabulary const vocabulary{drawn_parameters, none_of_metrics, drawn_names};
    int yes = 0, no = 0, unknown = 0;
    for (std::uint64_t seed = 0; seed < 6000; ++seed) {
        RandomExpression make(seed);
        auto const tree = make.truth(1 + static_cast<int>(seed % 4));
        auto const condition = parse_condition(tree.text, vocabulary);
        for (int i = 0; i < 4; ++i) {
            auto const at = make.readings();
            double const expected = tree.value(at);
            auto const truth = std::isnan(expected) ? Truth::unknown : expected == 1.0 ? Truth::yes : Truth::no;
            ASSERT_EQ(condition.truth(at.point, {}, {}, at.numbers), truth) << tree.text;
            ++(truth == Truth::yes ? yes : truth == Truth::no ? no : unknown);
        }
    }
    EXPECT_GT(yes, 5000);
    EXPECT_GT(no, 5000);
    EXPECT_GT(unknown, 10);
}

/// Letters lost, doubled or swapped: a sentence, or an expression that still reads; never anything else.
TEST(RandomExpressions, with_damage_are_refused_in_a_sentence_or_read) {
    Vocabulary const vocabulary{drawn_parameters, none_of_metrics, drawn_names};
    std::mt19937_64 random(3);
    int read = 0, refused = 0;
    for (std::uint64_t seed = 0; seed < 8000; ++seed) {
        RandomExpression make(seed);
        auto text = make.number(plain, 1 + static_cast<int>(seed % 4)).text;
        constexpr std::string_view letters = "()-+*/<>=! '\"aefim0.9,s%\\\n";
        for (auto hits = 1 + random() % 3; hits > 0 && !text.empty(); --hits) {
            auto const at = random() % text.size();
            if (random() % 2 == 0) text.erase(at, 1 + random() % 3);
            if (random() % 2 == 0) text.insert(std::min(at, text.size()), 1, letters[random() % letters.size()]);
        }
        try {
            auto const parsed = parse_arithmetic(text, vocabulary);
            auto const at = make.readings();
            (void)parsed.expression.number(at.point, {}, at.numbers);
            ++read;
        } catch (sim::InputError const& error) {
            ASSERT_LT(std::string(error.what()).size(), 500U) << text;
            ++refused;
        }
    }
    EXPECT_GT(read, 500);
    EXPECT_GT(refused, 2000);
}

}  // namespace
}  // namespace pimdse::models::random_expressions_test
