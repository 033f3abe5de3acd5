#include "models/contract/parameter_text.hpp"

#include "sim/base/counting.hpp"
#include "sim/base/dimension_text.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace pimdse::models {
namespace {

using sim::InputError;

std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

bool bare(Parameter const& p) { return p.unit.empty() || p.unit == "1"; }

/// Limits are shown multiplied by `scale`, so that they are in the unit of the parameter.
void check_limits(Parameter const& p, double value, std::string_view text, double scale = 1.0) {
    if ((p.low != 0.0 || p.high != 0.0) && !(value >= p.low && value <= p.high)) {
        throw InputError(fmt::format("{} = {} is out of range (it must lie in {:.12g}..{:.12g}{}{})", p.name,
                                     sim::clipped(text), p.low * scale, p.high * scale, bare(p) ? "" : " ",
                                     bare(p) ? "" : p.unit));
    }
}

/// "8 Mb" are megabits, which nobody means who counts bytes.
void refuse_bare_bits(Parameter const& p, std::string_view text) {
    auto const factor = sim::trimmed(text.substr(0, text.find('/')), " ");
    if (p.unit.find('B') == std::string::npos || factor.empty() || factor.back() != 'b') return;
    std::string bytes(text);
    bytes[static_cast<std::size_t>(factor.data() + factor.size() - 1 - text.data())] = 'B';
    throw InputError(fmt::format("{} = \"{}\" is in bits (b is a bit, B a byte). Write \"{}\"?", p.name,
                                 sim::clipped(text), sim::clipped(bytes)));
}

Value read_integer(Parameter const& p, std::string_view text) {
    refuse_bare_bits(p, text);
    if (auto const plain = whole_number(text)) {
        check_limits(p, static_cast<double>(*plain), text);
        return Value::integer(*plain);
    }
    auto const quantity = sim::parse_quantity(text);
    sim::Unit const unit = p.unit.empty() ? sim::Unit{} : sim::parse_unit(p.unit);
    if (quantity.dimension != unit.dimension) {
        throw InputError(fmt::format("{} = \"{}\" is {} (it must be {}{}{})", p.name, sim::clipped(text),
                                     sim::a_dimension(quantity.dimension), sim::a_dimension(unit.dimension),
                                     bare(p) ? "" : " in ", bare(p) ? "" : p.unit));
    }
    double const count = quantity.si / unit.in_si;
    check_limits(p, count, text);
    auto const whole = sim::exact_whole(count);
    if (!whole || std::abs(count) > 0x1p53) {
        throw InputError(
            fmt::format("{} = \"{}\" is not {} (it is counted)", p.name, sim::clipped(text), accepted_text(p)));
    }
    return Value::integer(*whole);
}

Value read_quantity(Parameter const& p, std::string_view text) {
    refuse_bare_bits(p, text);
    auto const quantity = sim::parse_quantity(text);
    sim::Unit const unit = p.unit.empty() ? sim::Unit{} : sim::parse_unit(p.unit);
    bool const bare = quantity.dimension.is_number() && !unit.dimension.is_number();
    if (bare && quantity.si != 0.0) {
        throw InputError(fmt::format("{} = {} has no unit (it is {}). Write \"{} {}\"?", p.name, sim::clipped(text),
                                     sim::a_dimension(unit.dimension), sim::clipped(text), p.unit));
    }
    if (!bare && quantity.dimension != unit.dimension) {
        throw InputError(fmt::format("{} = \"{}\" is {} (it must be {}, such as \"1 {}\")", p.name, sim::clipped(text),
                                     sim::a_dimension(quantity.dimension), sim::a_dimension(unit.dimension), p.unit));
    }
    check_limits(p, quantity.si, text, 1.0 / unit.in_si);
    return Value::quantity(quantity.si);
}

Value read_flag(Parameter const& p, std::string_view text) {
    if (text == "true" || text == "on" || text == "1") return Value::flag(true);
    if (text == "false" || text == "off" || text == "0") return Value::flag(false);
    throw InputError(fmt::format("{} = {} is neither true nor false", p.name, sim::clipped(text)));
}

Value read_choice(Parameter& p, std::string_view text, Takes takes) {
    auto const found = std::find(p.choices.begin(), p.choices.end(), text);
    if (found != p.choices.end()) {
        return Value::choice(static_cast<std::size_t>(found - p.choices.begin()));
    }
    auto const why = p.accepts ? p.accepts(std::string(text)) : std::string("it is not one of its values");
    if (!why.empty()) {
        refuse_several(p, text, takes);
        throw InputError(
            fmt::format("unknown {} '{}' ({}).{}", p.name, sim::clipped(text), why, sim::suggestion(text, p.choices)));
    }
    p.choices.emplace_back(text);
    return Value::choice(p.choices.size() - 1);
}

std::string printed_quantity(Parameter const& p, double si) {
    if (p.unit.empty()) return fmt::format("{}", si);
    return fmt::format("{:.12g} {}", si / sim::parse_unit(p.unit).in_si, p.unit);
}

std::string joined_permutation(Parameter const& p, std::uint64_t rank) {
    std::string text;
    for (auto const& item : permutation(p.items, rank)) text += text.empty() ? item : "-" + item;
    return text;
}

}  // namespace

std::string accepted_text(Parameter const& parameter) {
    bool const limited = parameter.low != 0.0 || parameter.high != 0.0;
    sim::Unit const unit = parameter.unit.empty() ? sim::Unit{} : sim::parse_unit(parameter.unit);
    switch (parameter.kind) {
        case Kind::integer:
            return fmt::format("a whole number{}{}{}", bare(parameter) ? "" : " of ",
                               bare(parameter) ? "" : parameter.unit,
                               limited ? fmt::format(" in {:.12g}..{:.12g}", parameter.low, parameter.high) : "");
        case Kind::quantity:
            return fmt::format("{}{}{}", sim::a_dimension(unit.dimension),
                               bare(parameter) ? "" : fmt::format(" such as \"1 {}\"", parameter.unit),
                               limited ? fmt::format(" in {:.12g}..{:.12g}{}{}", parameter.low / unit.in_si,
                                                     parameter.high / unit.in_si, bare(parameter) ? "" : " ",
                                                     bare(parameter) ? "" : parameter.unit)
                                       : "");
        case Kind::flag:
            return "true or false";
        case Kind::choice:
        case Kind::permutation:
            return "one of its names";
    }
    return "";
}

Value read_value(Parameter& parameter, std::string_view text, Takes takes) {
    bool const named = parameter.kind == Kind::choice || parameter.kind == Kind::permutation;
    if (!named) refuse_several(parameter, text, takes);
    Value value;
    switch (parameter.kind) {
        case Kind::integer:
            value = read_integer(parameter, text);
            break;
        case Kind::quantity:
            value = read_quantity(parameter, text);
            break;
        case Kind::flag:
            value = read_flag(parameter, text);
            break;
        case Kind::choice:
        case Kind::permutation:
            value = read_choice(parameter, text, takes);
            break;
    }
    for (auto const& missing : parameter.not_built) {
        if (missing.choice == text || (missing.choice == "*" && value != parameter.fallback)) {
            throw InputError(fmt::format("{} = {} is not built yet ({})", parameter.name, text, missing.sentence));
        }
    }
    return value;
}

std::string print_value(Parameter const& parameter, Value const& value) {
    switch (value.kind()) {
        case Kind::integer:
            return fmt::format("{}", value.as_integer());
        case Kind::quantity:
            return printed_quantity(parameter, value.as_quantity());
        case Kind::flag:
            return value.as_flag() ? "true" : "false";
        case Kind::choice:
            return parameter.choices.at(value.as_choice());
        case Kind::permutation:
            return joined_permutation(parameter, value.as_permutation());
    }
    return "";
}

std::vector<std::string> permutation(std::vector<std::string> const& items, std::uint64_t rank) {
    sim::expects(items.size() <= 20 && rank < sim::factorial(items.size()), "rank of a permutation is below n!");
    std::vector<std::string> left = items;
    std::vector<std::string> order;
    order.reserve(items.size());
    while (!left.empty()) {
        std::uint64_t const block = sim::factorial(left.size() - 1);
        auto const at = left.begin() + static_cast<std::ptrdiff_t>(rank / block);
        rank %= block;
        order.push_back(std::move(*at));
        left.erase(at);
    }
    return order;
}

std::uint64_t permutation_rank(Parameter const& parameter, std::string_view text) {
    constexpr std::size_t most_items = 20;  // more orderings than that have no number
    std::vector<std::string> left = parameter.items;
    std::string_view rest = text;
    if (left.empty() || left.size() > most_items)
        throw InputError(fmt::format("{} = {} is none of its choices", parameter.name, text));
    std::uint64_t rank = 0;
    while (!left.empty()) {
        auto const begins = [&](std::string const& item) {
            return rest.starts_with(item) &&
                   (left.size() == 1 ? rest.size() == item.size() : rest.substr(item.size()).starts_with('-'));
        };
        auto const found = std::find_if(left.begin(), left.end(), begins);
        if (found == left.end())
            throw InputError(fmt::format("{} = {} is no ordering of its items", parameter.name, text));
        rank = rank * left.size() + static_cast<std::uint64_t>(found - left.begin());
        rest.remove_prefix(std::min(rest.size(), found->size() + 1));
        left.erase(found);
    }
    if (!rest.empty()) throw InputError(fmt::format("{} = {} is no ordering of its items", parameter.name, text));
    return rank;
}

}  // namespace pimdse::models
