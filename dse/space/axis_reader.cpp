#include "dse/space/axis_reader.hpp"

#include "models/contract/parameter_text.hpp"
#include "models/contract/toml_file.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/decimal.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace pimdse::dse::space {
namespace {

using models::Kind;
using models::Parameter;
using models::scalar_text;
using models::Value;

constexpr std::size_t longest_axis = 1'000'000;

/// Adds the sentences of an error, each with the parameter's name.
void add_mistakes(Parameter const& parameter, sim::InputError const& error, std::string const& where,
                  std::vector<std::string>& mistakes) {
    for (auto const& sentence : error.sentences()) {
        bool const named = sentence.find(parameter.name) != std::string::npos;
        mistakes.push_back(named ? fmt::format("{}: {}", where, sentence)
                                 : fmt::format("{}: {}: {}", where, parameter.name, sentence));
    }
}

std::vector<Value> read_list(Parameter& parameter, toml::array const& list, std::string const& where,
                             std::vector<std::string>& mistakes) {
    std::vector<Value> values;
    if (list.empty())
        mistakes.push_back(
            fmt::format("{}: {} has an empty list (at least one value is needed)", where, parameter.name));
    std::set<Value> seen;
    for (auto const& entry : list) {
        try {
            Value const value = models::read_value(parameter, scalar_text(entry));
            if (!seen.insert(value).second) {
                mistakes.push_back(
                    fmt::format("{}: {} lists {} twice", where, parameter.name, models::print_value(parameter, value)));
            }
            values.push_back(value);
        } catch (sim::InputError const& error) {
            add_mistakes(parameter, error, where, mistakes);
        }
    }
    return values;
}

double plain_number(Value const& value) {
    return value.kind() == Kind::integer ? static_cast<double>(value.as_integer()) : value.as_quantity();
}

/// A range { from, to, step | times } with its values read.
struct Range {
    Value from, to;
    std::optional<Value> step;
    std::optional<double> times;
};

void check_range(Range const& range) {
    auto const from = plain_number(range.from);
    if (range.to < range.from) throw sim::InputError("'to' is below 'from'");
    if (range.step && range.times) throw sim::InputError("both 'step' and 'times' are given (one of them is enough)");
    if (range.step && !(plain_number(*range.step) > 0.0)) throw sim::InputError("'step' must be positive");
    if (range.times && (!(*range.times > 1.0) || !std::isfinite(*range.times) || !(from > 0.0)))
        throw sim::InputError("'times' must be a number above 1 and 'from' must be positive");
}

[[noreturn]] void too_long() {
    throw sim::InputError("the range has more than {} values (the most that an axis may have)", longest_axis);
}

/// Integer ranges are computed in integers and are exact for numbers of any size.
std::vector<Value> whole_steps(Range const& range) {
    auto const from = range.from.as_integer(), step = range.step->as_integer();
    auto const steps = (static_cast<std::uint64_t>(range.to.as_integer()) - static_cast<std::uint64_t>(from)) /
                       static_cast<std::uint64_t>(step);
    if (steps >= longest_axis) too_long();
    std::vector<Value> values;
    auto const at = [&](std::uint64_t i) {
        return static_cast<std::uint64_t>(from) + i * static_cast<std::uint64_t>(step);
    };
    for (std::uint64_t i = 0; i <= steps; ++i) values.push_back(Value::integer(static_cast<std::int64_t>(at(i))));
    return values;
}

/// The values of a range as decimals, so that they are the numbers that one writes: 0.1, 0.2, 0.3.
class RangeNumbers {
  public:
    explicit RangeNumbers(Range const& range)
        : from_(plain_number(range.from)),
          step_(range.step ? plain_number(*range.step) : 0.0),
          times_(range.times.value_or(0.0)) {}

    [[nodiscard]] double at(std::size_t i) {
        auto const count = static_cast<double>(i);
        return times_ > 0.0 ? nearest(grown(i), from_ * std::pow(times_, count))
                            : nearest(stepped(static_cast<std::int64_t>(i)), from_ + step_ * count);
    }

  private:
    static double nearest(std::optional<sim::Decimal> const& exact, double otherwise) {
        return exact ? exact->nearest() : otherwise;
    }
    [[nodiscard]] std::optional<sim::Decimal> stepped(std::int64_t i) const {
        auto const steps = product(sim::Decimal::shortest(step_), {i, 0});
        return steps ? sum(sim::Decimal::shortest(from_), *steps) : std::nullopt;
    }
    /// Called with i = 0, 1, 2 ...
    [[nodiscard]] std::optional<sim::Decimal> grown(std::size_t i) {
        if (i == 0)
            power_ = sim::Decimal::shortest(from_);
        else if (power_)
            power_ = product(*power_, sim::Decimal::shortest(times_));
        return power_;
    }

    double from_, step_, times_;
    std::optional<sim::Decimal> power_;
};

/// Values in the parameter's own scale. A value that equals `to` except for rounding becomes `to`; no value is beyond
/// it.
std::vector<double> real_steps(Range const& range) {
    double const to = plain_number(range.to), step = range.step ? plain_number(*range.step) : 0.0;
    RangeNumbers numbers(range);
    std::vector<double> values;
    for (std::size_t i = 0; values.size() <= longest_axis; ++i) {
        double const value = numbers.at(i);
        double const gap = range.times ? to * std::min(1.0, *range.times - 1.0) : step;
        double const rounding = std::max(1e-9 * gap, 4.0 * std::numeric_limits<double>::epsilon() * std::abs(to));
        if (value > to + rounding) return values;
        double const met = value >= to - rounding ? to : value;
        if (!values.empty() && met <= values.back())
            throw sim::InputError("'step' or 'times' is too small (neighbouring values would be equal)");
        values.push_back(met);
    }
    too_long();
}

Value whole_value(double number) {
    auto const whole = sim::exact_whole(number);
    if (!whole || std::abs(number) > 0x1p53)
        throw sim::InputError("the range contains {} (all its values must be whole numbers)", number);
    return Value::integer(*whole);
}

std::vector<Value> range_values(Range const& range) {
    check_range(range);
    if (range.step && range.step->kind() == Kind::integer) return whole_steps(range);
    bool const whole = range.from.kind() == Kind::integer;
    std::vector<Value> values;
    for (double const number : real_steps(range))
        values.push_back(whole ? whole_value(number) : Value::quantity(number));
    return values;
}

std::optional<Value> end_of_range(Parameter& parameter, toml::table const& table, std::string_view key) {
    auto const* node = table.get(key);
    return node == nullptr ? std::nullopt : std::optional(models::read_value(parameter, scalar_text(*node)));
}

/// A step is a difference, so the parameter's limits and its "not built" rules do not apply to it.
std::optional<Value> step_of_range(Parameter const& parameter, toml::table const& table) {
    auto const* node = table.get("step");
    if (node == nullptr)
        return parameter.kind == Kind::integer && !table.contains("times") ? std::optional(Value::integer(1))
                                                                           : std::nullopt;
    Parameter free = parameter;
    free.lower = free.upper = 0.0;
    free.not_built.clear();
    return models::read_value(free, scalar_text(*node));
}

void refuse_other_keys(toml::table const& table, std::vector<std::string> const& known) {
    for (auto const& [key, node] : table) {
        if (std::find(known.begin(), known.end(), key.str()) == known.end()) {
            throw sim::InputError("unknown key '{}'.{}", key.str(), sim::suggestion(key.str(), known));
        }
    }
}

std::vector<Value> read_range(Parameter& parameter, toml::table const& table) {
    if (parameter.kind != Kind::integer && parameter.kind != Kind::quantity)
        throw sim::InputError("a range needs a numeric parameter");
    refuse_other_keys(table, {"from", "to", "step", "times"});
    auto const from = end_of_range(parameter, table, "from");
    auto const to = end_of_range(parameter, table, "to");
    if (!from || !to) throw sim::InputError("a range needs both 'from' and 'to'");
    auto const* factor = table.get("times");
    auto const times = factor == nullptr ? std::nullopt : factor->value<double>();
    if (factor != nullptr && !times) throw sim::InputError("'times' must be a number");
    auto const step = step_of_range(parameter, table);
    if (!step && !times) throw sim::InputError("a range of quantities needs 'step' or 'times'");
    return range_values({*from, *to, step, times});
}

Axis read_permutations(Parameter const& parameter, toml::table const& table) {
    refuse_other_keys(table, {"permute"});
    if (parameter.items.empty()) throw sim::InputError("it has no items to permute");
    auto const* list = table.get_as<toml::array>("permute");
    if (list == nullptr) throw sim::InputError("'permute' must be a list");
    std::vector<std::string> given;
    for (auto const& entry : *list) given.push_back(entry.value_or(std::string{}));
    auto sorted_given = given;
    auto sorted_items = parameter.items;
    std::sort(sorted_given.begin(), sorted_given.end());
    std::sort(sorted_items.begin(), sorted_items.end());
    if (sorted_given != sorted_items) {
        throw sim::InputError("[{}] is not a permutation (it must contain each of {} exactly once)",
                              fmt::join(given, ", "), fmt::join(parameter.items, ", "));
    }
    return Axis::permutations(parameter.items.size());
}

Axis read_table(Parameter& parameter, toml::table const& table) {
    if (table.contains("permute")) return read_permutations(parameter, table);
    return Axis::list(read_range(parameter, table));
}

}  // namespace

std::optional<Axis> read_axis(Parameter& parameter, toml::node const& node, std::string const& where,
                              std::vector<std::string>& mistakes) {
    std::size_t const before = mistakes.size();
    try {
        if (auto const* list = node.as_array()) {
            auto values = read_list(parameter, *list, where, mistakes);
            return mistakes.size() == before ? std::optional(Axis::list(std::move(values))) : std::nullopt;
        }
        if (auto const* table = node.as_table()) return read_table(parameter, *table);
        return Axis::list({models::read_value(parameter, scalar_text(node))});
    } catch (sim::InputError const& error) {
        add_mistakes(parameter, error, where, mistakes);
        return std::nullopt;
    }
}

std::string unmet_end(Parameter const& parameter, toml::node const& node, Axis const& axis) {
    auto const* table = node.as_table();
    auto const* to = table == nullptr ? nullptr : table->get("to");
    if (to == nullptr) return "";
    Parameter same = parameter;
    auto const last = axis.at(axis.size() - 1);
    if (models::read_value(same, scalar_text(*to)) == last) return "";
    return fmt::format("{} ends at {}, because its range does not meet 'to' = {}", parameter.name,
                       models::print_value(parameter, last), scalar_text(*to));
}

std::optional<models::ClassRequest> read_class_request(toml::node const& node) {
    auto const* table = node.as_table();
    if (table == nullptr || !table->contains("classes")) return std::nullopt;
    models::ClassRequest request;
    for (auto const& [key, entry] : *table) {
        std::vector<std::string> texts;
        if (auto const* list = entry.as_array()) {
            for (auto const& text : *list) texts.push_back(scalar_text(text));
        } else {
            texts.push_back(scalar_text(entry));
        }
        if (key.str() != "classes")
            request.details[std::string(key.str())] = std::move(texts);
        else if (texts.size() == 1 && !texts.front().empty())
            request.family = texts.front();
        else
            throw sim::InputError("'classes' must be one word, such as \"all\"");
    }
    return request;
}

}  // namespace pimdse::dse::space
