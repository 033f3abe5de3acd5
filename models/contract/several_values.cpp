#include "models/contract/several_values.hpp"

#include "sim/base/counting.hpp"
#include "sim/base/decimal_comma.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <optional>
#include <string>

namespace pimdse::models {
namespace {

using sim::clipped;
using sim::InputError;

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

/// "batch" in "64, batch=2": the name before a '=' that follows a comma.
std::string_view another_name(std::string_view text) {
    auto const comma = text.find(',');
    auto const equals = comma == text.npos ? text.npos : text.find('=', comma);
    if (equals == text.npos) return {};
    auto const name = sim::trimmed(text.substr(text.rfind(',', equals) + 1, equals - text.rfind(',', equals) - 1));
    bool const is_name = !name.empty() && std::isalpha(static_cast<unsigned char>(name.front())) != 0;
    return is_name && std::ranges::all_of(name, in_name) ? name : std::string_view{};
}

/// The quantity that the parameter takes once the decimal comma is a point. "128,256" of a counted parameter is none:
/// it is two values.
bool suits(Parameter const& parameter, std::string const& text) {
    try {
        auto const quantity = sim::parse_quantity(text);
        sim::Unit const unit = parameter.unit.empty() ? sim::Unit{} : sim::parse_unit(parameter.unit);
        bool const bare = quantity.dimension.is_number() && parameter.kind == Kind::quantity;
        if (quantity.dimension != unit.dimension && !bare) return false;
        return parameter.kind == Kind::quantity || sim::exact_whole(quantity.si / unit.in_si).has_value();
    } catch (InputError const&) {
        return false;
    }
}

std::optional<std::string> with_a_point(Parameter const& parameter, std::string_view text) {
    bool const counted = parameter.kind == Kind::integer;
    if (!counted && parameter.kind != Kind::quantity) return std::nullopt;
    auto pointed = sim::with_decimal_point(text);
    if (!pointed) return std::nullopt;
    auto const comma = text.find(',');
    auto const digits = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(comma) + 1, text.end(),
                                     [](char c) { return std::isdigit(static_cast<unsigned char>(c)) == 0; }) -
                        text.begin() - static_cast<std::ptrdiff_t>(comma) - 1;
    if (counted && digits == 3) return std::nullopt;  // "1,024" may be two values or a thousand
    return suits(parameter, *pointed) ? pointed : std::nullopt;
}

std::string inside(std::string_view text) { return clipped(sim::trimmed(text, " []")); }

std::string suggested(Parameter const& parameter, std::string_view text, Takes takes) {
    bool const range = text.front() == '{';
    auto const list = range ? clipped(text) : fmt::format("[{}]", inside(text));
    if (takes == Takes::list_entry) return range ? "" : fmt::format(" Write a list, {}?", list);
    if (takes == Takes::point_of_many) return " Ask for a point with each of them?";
    return fmt::format(" Give one of them, or explore all: pimdse explore SPACE --set '{}={}'?", parameter.name, list);
}

}  // namespace

void refuse_several(Parameter const& parameter, std::string_view text, Takes takes) {
    auto const bare = sim::trimmed(text, " ");
    if (bare.empty()) return;
    bool const bracketed = bare.front() == '[' || bare.front() == '{';
    if (!bracketed && bare.find(',') == bare.npos) return;
    if (auto const name = bracketed ? std::string_view{} : another_name(bare); !name.empty())
        throw InputError(
            fmt::format("{} = {} also gives {} (one name and one value are taken at a time). "
                        "Give {} apart, in a --set or on a line of its own?",
                        parameter.name, clipped(bare), name, name));
    if (auto const pointed = with_a_point(parameter, bare))
        throw InputError(fmt::format("{} = {} has a decimal comma (numbers are written with a point). Write \"{}\"?",
                                     parameter.name, clipped(bare), *pointed));
    throw InputError(fmt::format("{} = {} is {} (one value is needed here).{}", parameter.name, clipped(bare),
                                 bare.front() == '{'   ? "a range"
                                 : bare.front() == '[' ? "a list"
                                                       : "more than one value",
                                 suggested(parameter, bare, takes)));
}

}  // namespace pimdse::models
