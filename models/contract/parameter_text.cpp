#include "models/contract/parameter_text.hpp"

#include "models/contract/toml_file.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/number_in.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace pimdse::models {

namespace {

using sim::clipped;
using sim::InputError;

sim::Unit unit_of(Parameter const& p) { return p.unit.empty() ? sim::Unit{} : sim::parse_unit(p.unit); }
bool is_limited(Parameter const& p) { return p.lower != 0.0 || p.upper != 0.0; }
/// The unit after these words; "" for a plain number.
std::string in_unit(Parameter const& p, std::string_view words) {
    return p.unit.empty() || p.unit == "1" ? "" : fmt::format("{}{}", words, p.unit);
}

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

/// True if the parameter accepts the text once its comma is gone.
bool suits(Parameter const& parameter, std::string const& text) {
    try {
        auto const quantity = sim::parse_quantity(text);
        auto const unit = unit_of(parameter);
        bool const bare = quantity.dimension.is_number() && parameter.kind == Kind::quantity;
        if (quantity.dimension != unit.dimension && !bare) return false;
        return parameter.kind == Kind::quantity || sim::exact_whole(quantity.si / unit.in_si).has_value();
    } catch (InputError const&) {
        return false;
    }
}

/// Whether commas of a number are a mistake. "128,256" for a count is two values, "1,024" is not: no value is 024.
bool has_wrong_comma(Parameter const& parameter, std::string_view text) {
    bool const counted = parameter.kind == Kind::integer;
    if (!counted && parameter.kind != Kind::quantity) return false;
    auto const written = sim::without_commas(text);
    bool const several = counted && written && written->find('.') == written->npos && text.find(",0") == text.npos;
    return written && !several && suits(parameter, *written);
}

std::string inside(std::string_view text) { return clipped(sim::trimmed(text, " []")); }

std::string suggested(Parameter const& parameter, std::string_view text, Takes takes) {
    bool const range = text.front() == '{';
    auto const list = range ? clipped(text) : fmt::format("[{}]", inside(text));
    if (takes == Takes::list_entry) return range ? "" : fmt::format(" Write a list, {}?", list);
    if (takes == Takes::point_of_many) return " Request a point for each of them?";
    return fmt::format(" Give one of them, or explore all: pimdse explore SPACE --set '{}={}'?", parameter.name, list);
}

/// Throws InputError if the text contains several values: "64,128", "[64, 128]", "{from = 1, to = 4}", another name
/// ("64,batch=2"), or a number with a decimal comma ("250,5 MHz"). `takes` decides which suggestion is made.
void refuse_several(Parameter const& parameter, std::string_view text, Takes takes) {
    auto const bare = sim::trimmed(text, " ");
    if (bare.empty()) return;
    bool const bracketed = bare.front() == '[' || bare.front() == '{';
    if (!bracketed && bare.find(',') == bare.npos) return;
    if (auto const name = bracketed ? std::string_view{} : another_name(bare); !name.empty())
        throw InputError(
            "{} = {} also gives {} (one name and one value are accepted at a time). Give {} separately, in "
            "a --set or on a line of its own?",
            parameter.name, clipped(bare), name, name);
    if (has_wrong_comma(parameter, bare))
        throw InputError("{} = {} {}", parameter.name, clipped(bare), sim::comma_mistake(bare));
    throw InputError("{} = {} is {} (one value is needed here).{}", parameter.name, clipped(bare),
                     bare.front() == '{'   ? "a range"
                     : bare.front() == '[' ? "a list"
                                           : "more than one value",
                     suggested(parameter, bare, takes));
}

/// Limits are multiplied by `scale` when printed, so that they are in the unit of the parameter.
void check_limits(Parameter const& p, double value, std::string_view text, double scale = 1.0) {
    if (is_limited(p) && !(value >= p.lower && value <= p.upper))
        throw InputError("{} = {} is out of range (it must lie in {:.12g}..{:.12g}{})", p.name, sim::clipped(text),
                         p.lower * scale, p.upper * scale, in_unit(p, " "));
}

/// Refuses text that does not begin with a number.
void refuse_words(Parameter const& p, std::string_view text) {
    auto const start = sim::trimmed(text, " ");
    double value = 0.0;
    if (std::from_chars(start.data(), start.data() + start.size(), value).ec != std::errc::invalid_argument) return;
    throw InputError("{} = \"{}\" is not {}", p.name, sim::clipped(text), accepted_text(p));
}

Value read_integer(Parameter const& p, std::string_view text) {
    refuse_words(p, text);
    if (auto const plain = sim::number_in<std::int64_t>(text)) {
        check_limits(p, static_cast<double>(*plain), text);
        return Value::integer(*plain);
    }
    auto const quantity = sim::parse_quantity(text);
    auto const unit = unit_of(p);
    bool const counts = sim::number_in<double>(sim::trimmed(text, " ")).has_value();  // "8.0" for 8 bit
    if (!counts && quantity.dimension != unit.dimension)
        throw InputError("{} = \"{}\" is {} (it must be {}{})", p.name, sim::clipped(text),
                         sim::a_dimension(quantity.dimension), sim::a_dimension(unit.dimension), in_unit(p, " in "));
    double const count = counts ? quantity.si : quantity.si / unit.in_si;
    check_limits(p, count, text);
    auto const whole = sim::exact_whole(count);
    if (!whole || std::abs(count) > 0x1p53) {
        throw InputError("{} = \"{}\" is not {} (the parameter is a count)", p.name, sim::clipped(text),
                         accepted_text(p));
    }
    return Value::integer(*whole);
}

Value read_quantity(Parameter const& p, std::string_view text) {
    refuse_words(p, text);
    auto const quantity = sim::parse_quantity(text);
    auto const unit = unit_of(p);
    bool const bare = quantity.dimension.is_number() && !unit.dimension.is_number();
    if (bare && quantity.si != 0.0) {
        double const limit = p.upper > 0.0 ? p.upper : std::numeric_limits<double>::infinity();
        throw InputError("{} = {} has no unit (it is {}). Write \"{} {}\"?", p.name, sim::clipped(text),
                         sim::a_dimension(unit.dimension), sim::clipped(text),
                         quantity.si * unit.in_si <= limit ? p.unit : sim::unit_of(unit.dimension));
    }
    if (!bare && quantity.dimension != unit.dimension) {
        throw InputError("{} = \"{}\" is {} (it must be {}, such as \"1 {}\")", p.name, sim::clipped(text),
                         sim::a_dimension(quantity.dimension), sim::a_dimension(unit.dimension), p.unit);
    }
    check_limits(p, quantity.si, text, 1.0 / unit.in_si);
    return Value::quantity(quantity.si);
}

Value read_flag(Parameter const& p, std::string_view text) {
    if (text == "true" || text == "on" || text == "1") return Value::flag(true);
    if (text == "false" || text == "off" || text == "0") return Value::flag(false);
    throw InputError("{} = {} is neither true nor false", p.name, sim::clipped(text));
}

Value read_choice(Parameter& p, std::string_view text, Takes takes) {
    auto const found = std::find(p.choices.begin(), p.choices.end(), text);
    if (found != p.choices.end()) {
        return Value::choice(static_cast<std::size_t>(found - p.choices.begin()));
    }
    auto const why = p.accepts ? p.accepts(std::string(text)) : std::string();
    if (!p.accepts || !why.empty()) {
        refuse_several(p, text, takes);
        auto const name = text.substr(text.rfind('/') + 1);  // of ORGANISATION/MODEL
        throw InputError("unknown {} '{}'{}.{}", p.name, sim::clipped(text), why.empty() ? why : " (" + why + ")",
                         sim::suggestion(name, p.choices));
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
    auto const unit = unit_of(parameter);
    bool const is_quantity = parameter.kind == Kind::quantity;
    double const scale = is_quantity ? unit.in_si : 1.0;
    auto const limits = !is_limited(parameter)
                            ? std::string()
                            : fmt::format(" in {:.12g}..{:.12g}{}", parameter.lower / scale, parameter.upper / scale,
                                          is_quantity ? in_unit(parameter, " ") : "");
    switch (parameter.kind) {
        case Kind::integer:
            return fmt::format("a whole number{}{}", in_unit(parameter, " of "), limits);
        case Kind::quantity: {
            auto const example = in_unit(parameter, " such as \"1 ");
            return fmt::format("{}{}{}{}", sim::a_dimension(unit.dimension), example, example.empty() ? "" : "\"",
                               limits);
        }
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
        if (missing.choice == text || (missing.choice == "*" && value != parameter.default_value)) {
            throw InputError("{} = {} is not built yet ({})", parameter.name, text, missing.sentence);
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

sim::Json value_json(Parameter const& parameter, Value const& value) {
    switch (value.kind()) {
        case Kind::integer:
            return value.as_integer();
        case Kind::quantity:
            return value.as_quantity();
        case Kind::flag:
            return value.as_flag();
        default:
            return print_value(parameter, value);
    }
}

std::string value_cell(Parameter const& parameter, Value const& value) {
    if (value.kind() == Kind::quantity) return fmt::format("{}", value.as_quantity());
    return print_value(parameter, value);
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
    constexpr std::size_t max_items = 20;  // the number of an ordering of more items exceeds 64 bits
    std::vector<std::string> left = parameter.items;
    std::string_view rest = text;
    if (left.empty() || left.size() > max_items)
        throw InputError("{} = {} is not one of its choices", parameter.name, text);
    std::uint64_t rank = 0;
    while (!left.empty()) {
        auto const begins = [&](std::string const& item) {
            return rest.starts_with(item) &&
                   (left.size() == 1 ? rest.size() == item.size() : rest.substr(item.size()).starts_with('-'));
        };
        auto const found = std::find_if(left.begin(), left.end(), begins);
        if (found == left.end()) throw InputError("{} = {} is not an ordering of its items", parameter.name, text);
        rank = rank * left.size() + static_cast<std::uint64_t>(found - left.begin());
        rest.remove_prefix(std::min(rest.size(), found->size() + 1));
        left.erase(found);
    }
    if (!rest.empty()) throw InputError("{} = {} is not an ordering of its items", parameter.name, text);
    return rank;
}

bool names_own_file(std::string_view choice) {
    for (auto const* ending : {".toml", ".json", ".gguf", ".safetensors"})
        if (choice.ends_with(ending)) return true;
    std::error_code error;
    return choice.find('/') != choice.npos && std::filesystem::is_directory(choice, error);
}

std::size_t find_choice(std::vector<std::string> const& choices, std::string_view name) {
    auto const found = std::find(choices.begin(), choices.end(), name);
    if (found != choices.end() || !names_own_file(name)) return static_cast<std::size_t>(found - choices.begin());
    auto const end = std::filesystem::path("/") += std::filesystem::path(name).lexically_normal();
    auto const is_meant = [&](std::string const& choice) { return choice.ends_with(end.native()); };
    auto const first = std::find_if(choices.begin(), choices.end(), is_meant);
    bool const only = std::count_if(choices.begin(), choices.end(), is_meant) == 1;
    return only ? static_cast<std::size_t>(first - choices.begin()) : choices.size();
}

std::filesystem::path listing_beside(std::filesystem::path const& file) {
    if (file.extension() != ".toml") return {};
    auto const listing = (*read_toml(file))["listing"].value_or<std::string>("");
    return listing.empty() ? std::filesystem::path() : file.parent_path() / listing;
}

Parameter or_own_file(Parameter parameter, std::function<void(std::string const&)> check,
                      std::vector<std::string> endings, std::string_view list) {
    auto const accepted = fmt::to_string(fmt::join(endings, ", "));
    parameter.meaning += fmt::format("; or your own file, a path that ends in {}", accepted);
    auto const listed = list.empty() ? "one of its names" : fmt::format("a name that {} prints", list);
    parameter.accepts = [check = std::move(check), endings = std::move(endings), listed,
                         accepted](std::string const& text) {
        std::error_code error;
        bool const folder = endings.back() == "/" && names_own_file(text) && std::filesystem::is_directory(text, error);
        if (!folder && std::ranges::none_of(endings, [&](std::string const& ending) { return text.ends_with(ending); }))
            return fmt::format("neither {} nor a path that ends in {}", listed, accepted);
        check(text);
        return std::string();
    };
    return parameter;
}

}  // namespace pimdse::models
