#include "models/expression/expression_parser.hpp"

#include "models/contract/parameter_text.hpp"
#include "models/expression/expression_text.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace pimdse::models {

/// The steps of an expression that is being compiled, and the stack depth that they need.
class ExpressionSteps {
  public:
    using Code = Expression::Code;

    void add(Expression::Step step) {
        waiting_ += 1 - Expression::operands_of(step.code);
        max_waiting_ = std::max(max_waiting_, waiting_);
        steps_.push_back(step);
    }
    /// Replaces a step that loads something by one that loads this number.
    void load_instead(std::size_t step, double number) { steps_[step] = {.code = Code::number, .number = number}; }

    [[nodiscard]] std::size_t size() const { return steps_.size(); }
    [[nodiscard]] bool too_deep() const { return max_waiting_ > static_cast<int>(Expression::deepest); }
    [[nodiscard]] std::vector<Expression::Step> take() { return std::move(steps_); }

  private:
    std::vector<Expression::Step> steps_;
    int waiting_ = 0, max_waiting_ = 0;
};

/// The type of a subexpression during compilation.
struct Meaning {
    enum class Type : std::uint8_t { number, truth, choice, text } type = Type::number;
    sim::Dimension dimension{};
    std::size_t parameter = 0;  ///< Type::choice
    std::string word;           ///< Type::text: it must be the name of a choice
    bool zero = false;          ///< a literal 0 compares with every dimension

    static Meaning truth() { return {Type::truth, {}, 0, "", false}; }
    static Meaning number(sim::Dimension dimension, bool zero = false) {
        return {Type::number, dimension, 0, "", zero};
    }
    static Meaning choice(std::size_t parameter) { return {Type::choice, {}, parameter, "", false}; }
    static Meaning text(std::string word) { return {Type::text, {}, 0, std::move(word), false}; }
};

namespace {

using Code = Expression::Code;
using Type = Meaning::Type;

/// Recursive descent over: or < and < not < comparison < sum < product < sign < atom.
class ExpressionParser {
  public:
    ExpressionParser(std::string_view text, Vocabulary vocabulary) : text_(text), vocabulary_(vocabulary) {
        result_.text = text;
    }

    Expression parse() {
        functions_ = !vocabulary_.numbers.empty();
        Meaning const meaning = whole();
        if (meaning.type != Type::truth) fail("it is not a condition (compare it with something, such as <= 16 GiB)");
        return compiled();
    }

    ParsedNumber parse_arithmetic() {
        kind_ = "expression";
        functions_ = true;
        Meaning const meaning = whole();
        refuse_text(meaning);
        if (meaning.type != Type::number) fail("it is a condition, not a number");
        return {compiled(), meaning.dimension};
    }

    ParsedNumber parse_number() {
        kind_ = "objective";
        Meaning const meaning = whole();
        refuse_text(meaning);
        if (meaning.type != Type::number) fail("it is a condition, not a number");
        if (!result_.comparisons.empty() || connectives_ != 0) fail("it contains a condition");
        return {compiled(), meaning.dimension};
    }

  private:
    Meaning whole() {
        if (text_.whole().size() > longest_allowed) fail(fmt::format("it is longer than {} bytes", longest_allowed));
        Meaning const meaning = disjunction();
        if (!text_.at_end()) fail(text_.not_understood());
        return meaning;
    }

    Expression compiled() {
        if (steps_.too_deep()) fail("it is nested too deeply");
        if (result_.comparisons.size() != 1 || connectives_ != 0) result_.right_side = 0;
        result_.steps = steps_.take();
        return Expression(std::move(result_));
    }

    [[nodiscard]] bool of_condition() const { return kind_ == "condition"; }

    [[noreturn]] void fail(std::string const& why) const {
        throw sim::InputError("{} \"{}\": {}", kind_, sim::clipped(text_.whole()), why);
    }

    /// One level of recursion: parentheses, signs, 'not'.
    class Level {
      public:
        explicit Level(ExpressionParser& parser) : parser_(parser) {
            if (++parser_.nested_ > deepest_allowed) parser_.fail("it is nested too deeply");
        }
        ~Level() { --parser_.nested_; }
        Level(Level const&) = delete;
        Level& operator=(Level const&) = delete;

      private:
        ExpressionParser& parser_;
    };

    bool take(std::string_view symbol) { return text_.take(symbol); }
    bool take_word(std::string_view word) { return text_.take_word(word); }
    Meaning disjunction() { return joined("or", Code::logical_or, &ExpressionParser::conjunction); }
    Meaning conjunction() { return joined("and", Code::logical_and, &ExpressionParser::negation); }

    Meaning joined(std::string_view word, Code code, Meaning (ExpressionParser::*operand)()) {
        Meaning left = (this->*operand)();
        while (take_word(word)) {
            need_truth(left, word);
            need_truth((this->*operand)(), word);
            steps_.add({.code = code});
            ++connectives_;
        }
        return left;
    }

    void need_truth(Meaning const& meaning, std::string_view connective) const {
        if (meaning.type != Type::truth) fail(fmt::format("both sides of '{}' must be conditions", connective));
    }

    Meaning negation() {
        if (!take_word("not")) return comparison();
        Level const level(*this);
        Meaning const inner = negation();
        if (inner.type != Type::truth) fail("'not' must stand before a condition");
        steps_.add({.code = Code::logical_not});
        ++connectives_;
        return inner;
    }

    Meaning comparison() {
        std::size_t const begins = text_.position(), left_begins = steps_.size();
        Meaning left = sum();
        using Symbol = std::pair<std::string_view, Code>;
        constexpr std::array symbols{Symbol{"<=", Code::less_equal}, Symbol{">=", Code::greater_equal},
                                     Symbol{"==", Code::equal},      Symbol{"!=", Code::not_equal},
                                     Symbol{"<", Code::less},        Symbol{">", Code::greater},
                                     Symbol{"=", Code::equal}};
        for (auto const& [symbol, code] : symbols) {
            if (!take(symbol)) continue;
            std::size_t const right_begins = steps_.size();
            if (left.type == Type::choice) refuse_hyphens();
            Meaning const right = sum();
            compare(left, right, code, right_begins);
            result_.right_side = right_begins;
            result_.comparisons.push_back(
                {left_begins, right_begins, steps_.size() - 1, std::string(text_.read_since(begins))});
            return Meaning::truth();
        }
        refuse_text(left);
        return left;
    }

    void refuse_hyphens() {
        if (auto const name = text_.hyphenated_name(); !name.empty())
            fail(fmt::format("{0} without quotes is a difference. Write \"{0}\"?", name));
    }

    /// Emits the comparison; a word that is compared with a choice becomes that choice's index.
    void compare(Meaning const& left, Meaning const& right, Code code, std::size_t right_begins) {
        if (left.type == Type::choice || right.type == Type::choice) {
            if (code != Code::equal && code != Code::not_equal)
                fail("names of choices can only be compared with == or !=");
            if (left.type == Type::choice && right.type == Type::text)
                bind_choice(left, right.word, steps_.size() - 1);
            else if (right.type == Type::choice && left.type == Type::text)
                bind_choice(right, left.word, right_begins - 1);
            else
                fail("a choice can only be compared with one of its names");
        } else {
            refuse_text(left);
            refuse_text(right);
            need_same(left, right, "compared");
        }
        steps_.add({.code = code});
    }

    void bind_choice(Meaning const& choice, std::string const& name, std::size_t step) {
        auto const& parameter = vocabulary_.parameters[choice.parameter];
        auto const found = find_choice(parameter.choices, name);
        if (found == parameter.choices.size())
            fail(fmt::format("'{}' is not a value of {}.{}", sim::clipped(name), parameter.name,
                             sim::suggestion(name, parameter.choices)));
        steps_.load_instead(step, static_cast<double>(found));
    }

    void refuse_text(Meaning const& meaning) const {
        if (meaning.type == Type::text)
            fail(fmt::format("'{}' is {}.{}", sim::clipped(meaning.word),
                             functions_       ? "neither a parameter nor a constant"
                             : of_condition() ? "neither a parameter nor a metric"
                                              : "not a metric",
                             sim::suggestion(meaning.word, known_names())));
    }

    void need_same(Meaning const& a, Meaning const& b, std::string_view what) const {
        if (a.type == Type::truth && b.type == Type::truth) return;
        bool const numbers = a.type == Type::number && b.type == Type::number;
        if (!numbers) fail(fmt::format("a condition and a number cannot be {}", what));
        if (a.dimension != b.dimension && !a.zero && !b.zero) fail(sim::units_differ(a.dimension, b.dimension, what));
    }

    void need_numbers(Meaning const& a, Meaning const& b, std::string_view what) const {
        refuse_text(a);
        refuse_text(b);
        if (a.type != Type::number || b.type != Type::number) fail(fmt::format("only numbers can be {}", what));
    }

    Meaning sum() {
        Meaning left = product();
        while (true) {
            bool const plus = take("+");
            if (!plus && !take("-")) return left;
            Meaning const right = product();
            need_numbers(left, right, plus ? "added" : "subtracted");
            need_same(left, right, plus ? "added" : "subtracted");
            steps_.add({.code = plus ? Code::add : Code::subtract});
            if (std::exchange(left.zero, false)) left.dimension = right.dimension;
        }
    }

    Meaning product() {
        Meaning left = sign();
        while (true) {
            bool const times = take("*");
            if (!times && !take("/")) return left;
            Meaning const right = sign();
            need_numbers(left, right, "multiplied and divided");
            left.dimension = combined(left.dimension, right.dimension, times ? 1 : -1);
            steps_.add({.code = times ? Code::multiply : Code::divide});
        }
    }

    [[nodiscard]] sim::Dimension combined(sim::Dimension a, sim::Dimension b, int sign) const {
        try {
            return sim::combined(a, b, sign);
        } catch (sim::InputError const& error) {
            fail(error.what());
        }
    }

    Meaning sign() {
        if (!take("-")) return atom();
        Level const level(*this);
        Meaning inner = sign();
        need_numbers(inner, inner, "negated");
        steps_.add({.code = Code::negate});
        return inner;
    }

    Meaning atom() {
        if (text_.at_end()) fail("it ends too early");
        if (take("(")) {
            Level const level(*this);
            Meaning const inner = disjunction();
            if (!take(")")) fail("a ')' is missing");
            return inner;
        }
        if (text_.at_quote()) return quoted();
        if (text_.at_number()) return number();
        if (text_.at_name()) return name();
        fail(text_.not_understood());
    }

    Meaning quoted() {
        auto const text = text_.take_quoted();
        if (!text) fail("a quote is not closed");
        steps_.add({.code = Code::number});
        return Meaning::text(std::string(*text));
    }

    Meaning number() {
        auto const quantity = text_.take_number();
        if (!quantity) fail("a number is malformed");
        if (auto const why = text_.not_behind_a_number(quantity->dimension.is_number(), in_arguments_ > 0);
            !why.empty())
            fail(why);
        steps_.add({.code = Code::number, .number = quantity->si});
        return Meaning::number(quantity->dimension, quantity->si == 0.0);
    }

    /// The arguments of a function that follow its name; their steps are in the order of the arguments.
    std::vector<Meaning> arguments(std::string_view function, std::size_t count) {
        Level const level(*this);
        std::vector<Meaning> all;
        ++in_arguments_;
        do {
            all.push_back(disjunction());
            refuse_text(all.back());
        } while (take(","));
        --in_arguments_;
        if (!take(")")) fail("a ')' is missing");
        if (all.size() != count)
            fail(fmt::format("{}() takes {} argument{}, not {}", function, count, count == 1 ? "" : "s", all.size()));
        return all;
    }

    Meaning of_two(std::string_view function, Code code) {
        auto const both = arguments(function, 2);
        need_numbers(both[0], both[1], "arguments of a function");
        need_same(both[0], both[1], "compared");
        steps_.add({.code = code});
        return Meaning::number(both[0].zero ? both[1].dimension : both[0].dimension);
    }

    Meaning rounded(std::string_view function, Code code) {
        auto const one = arguments(function, 1).front();
        need_numbers(one, one, "rounded");
        if (!one.dimension.is_number())
            fail(fmt::format("{}() rounds plain numbers, not {}", function, sim::a_dimension(one.dimension)));
        steps_.add({.code = code});
        return one;
    }

    Meaning selected() {
        auto const all = arguments("if", 3);
        need_truth(all[0], "if");
        need_numbers(all[1], all[2], "results of if()");
        need_same(all[1], all[2], "compared");
        steps_.add({.code = Code::select});
        return Meaning::number(all[1].zero ? all[2].dimension : all[1].dimension, all[1].zero && all[2].zero);
    }

    std::optional<Meaning> function(std::string_view word) {
        if (!functions_ || !take("(")) return std::nullopt;
        if (word == "min") return of_two(word, Code::minimum);
        if (word == "max") return of_two(word, Code::maximum);
        if (word == "ceil") return rounded(word, Code::ceiling);
        if (word == "floor") return rounded(word, Code::floor);
        if (word == "if") return selected();
        fail(fmt::format("there is no function {}().{}", sim::clipped(word),
                         sim::suggestion(word, {"min", "max", "ceil", "floor", "if"})));
    }

    std::optional<Meaning> named(std::string_view word) {
        auto const found = std::ranges::find(vocabulary_.numbers, word, &NamedNumber::name);
        if (found == vocabulary_.numbers.end()) return std::nullopt;
        steps_.add({.code = Code::named, .index = static_cast<std::size_t>(found - vocabulary_.numbers.begin())});
        return Meaning::number(found->dimension);
    }

    Meaning name() {
        std::string const word(text_.take_name());
        if (auto const result = function(word)) return *result;
        if (word == "true" || word == "false") {
            steps_.add({.code = Code::number, .number = word == "true" ? 1.0 : 0.0});
            return Meaning::truth();
        }
        if (int const p = find_parameter(vocabulary_.parameters, word); p >= 0)
            return parameter(static_cast<std::size_t>(p));
        if (int const m = find_metric(vocabulary_.metrics, word); m >= 0) return metric(static_cast<std::size_t>(m));
        if (auto const number = named(word)) return *number;
        if (auto const end = of_condition() ? interval_end(word) : std::nullopt) return *end;
        steps_.add({.code = Code::number});
        return Meaning::text(word);
    }

    Meaning parameter(std::size_t index) {
        auto const& parameter = vocabulary_.parameters[index];
        sim::Unit const unit = parameter.unit.empty() ? sim::Unit{} : sim::parse_unit(parameter.unit);
        steps_.add({.code = Code::parameter, .index = index, .scale = unit.in_si});
        switch (parameter.kind) {
            case Kind::choice:
            case Kind::permutation:
                return Meaning::choice(index);
            case Kind::flag:
                return {Type::truth, {}, index, "", false};
            default:
                return Meaning::number(unit.dimension);
        }
    }

    /// METRIC.upper or METRIC.lower.
    std::optional<Meaning> interval_end(std::string_view word) {
        auto const dot = word.rfind('.');
        if (dot == std::string_view::npos) return std::nullopt;
        auto const end = word.substr(dot + 1);
        if (end != "upper" && end != "lower") return std::nullopt;
        int const m = find_metric(vocabulary_.metrics, word.substr(0, dot));
        if (m < 0) return std::nullopt;
        return metric(static_cast<std::size_t>(m), end == "upper" ? Expression::End::upper : Expression::End::lower);
    }

    Meaning metric(std::size_t index, Expression::End end = Expression::End::estimate) {
        auto const& unit_text = vocabulary_.metrics[index].unit;
        result_.uses_metrics = true;
        auto const unit = sim::parse_unit(unit_text.empty() ? "1" : unit_text);
        steps_.add({.code = Code::metric, .index = index, .scale = unit.in_si, .end = end});
        return Meaning::number(unit.dimension);
    }

    std::vector<std::string> known_names() const {
        std::vector<std::string> names;
        for (auto const& p : vocabulary_.parameters) names.push_back(p.name);
        for (auto const& m : vocabulary_.metrics) names.push_back(m.name);
        for (auto const& n : vocabulary_.numbers) names.push_back(n.name);
        return names;
    }

    ExpressionText text_;
    Vocabulary vocabulary_;
    Expression::Parts result_;
    ExpressionSteps steps_;
    std::string_view kind_ = "condition";
    static constexpr int deepest_allowed = 64;
    static constexpr std::size_t longest_allowed = 1 << 16;
    int nested_ = 0, connectives_ = 0, in_arguments_ = 0;
    bool functions_ = false;
};

}  // namespace

ParsedNumber parse_number(std::string_view text, MetricList const& metrics) {
    Parameters const none;
    return ExpressionParser(text, {none, metrics}).parse_number();
}

ParsedNumber parse_arithmetic(std::string_view text, Vocabulary const& vocabulary) {
    return ExpressionParser(text, vocabulary).parse_arithmetic();
}

Expression parse_condition(std::string_view text, Vocabulary const& vocabulary) {
    return ExpressionParser(text, vocabulary).parse();
}

}  // namespace pimdse::models
