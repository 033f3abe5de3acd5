#include "sim/base/quantity_text.hpp"

#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace pimdse::sim {
namespace {

struct NamedUnit {
    std::string_view name;
    Dimension dimension;
    double in_si;
    bool takes_prefix;  ///< "ns", "GB": SI prefixes are allowed
    bool takes_binary;  ///< "KiB": binary prefixes are allowed
};

constexpr Dimension number{};
constexpr Dimension second{1, 0, 0, 0, 0};
constexpr Dimension hertz{-1, 0, 0, 0, 0};
constexpr Dimension joule{0, 1, 0, 0, 0};
constexpr Dimension watt{-1, 1, 0, 0, 0};
constexpr Dimension byte{0, 0, 1, 0, 0};
constexpr Dimension metre{0, 0, 0, 1, 0};
constexpr Dimension square_metre{0, 0, 0, 2, 0};
constexpr Dimension operation{0, 0, 0, 0, 1};
constexpr Dimension operation_rate{-1, 0, 0, 0, 1};
constexpr Dimension dollar{.money = 1};
constexpr Dimension kilogram{.mass = 1};

constexpr std::array units{
    NamedUnit{"s", second, 1.0, true, false},
    NamedUnit{"min", second, 60.0, false, false},
    NamedUnit{"h", second, 3600.0, false, false},
    NamedUnit{"year", second, 31'557'600.0, false, false},
    NamedUnit{"years", second, 31'557'600.0, false, false},
    NamedUnit{"Hz", hertz, 1.0, true, false},
    NamedUnit{"J", joule, 1.0, true, false},
    NamedUnit{"W", watt, 1.0, true, false},
    NamedUnit{"Wh", joule, 3600.0, true, false},
    NamedUnit{"USD", dollar, 1.0, true, false},
    NamedUnit{"g", kilogram, 1e-3, true, false},
    NamedUnit{"gCO2e", kilogram, 1e-3, true, false},
    NamedUnit{"B", byte, 1.0, true, true},
    NamedUnit{"bit", byte, 0.125, true, true},
    NamedUnit{"b", byte, 0.125, true, true},
    NamedUnit{"m", metre, 1.0, true, false},
    NamedUnit{"FLOP", operation, 1.0, true, false},
    NamedUnit{"op", operation, 1.0, true, false},
    NamedUnit{"MAC", operation, 2.0, true, false},
    NamedUnit{"FLOPS", operation_rate, 1.0, true, false},
    NamedUnit{"1", number, 1.0, false, false},
    NamedUnit{"cycle", number, 1.0, false, false},
    NamedUnit{"cycles", number, 1.0, false, false},
    NamedUnit{"token", number, 1.0, false, false},
    NamedUnit{"tokens", number, 1.0, false, false},
    NamedUnit{"element", number, 1.0, false, false},
    NamedUnit{"elements", number, 1.0, false, false},
    NamedUnit{"vectors", number, 1.0, false, false},
    NamedUnit{"sequences", number, 1.0, false, false},
    NamedUnit{"steps", number, 1.0, false, false},
    NamedUnit{"instructions", number, 1.0, false, false},
    NamedUnit{"slots", number, 1.0, false, false},
    NamedUnit{"flits", number, 1.0, false, false},
    NamedUnit{"%", number, 0.01, false, false},
};

constexpr std::array<std::pair<char, double>, 10> prefixes{{{'f', 1e-15},
                                                            {'p', 1e-12},
                                                            {'n', 1e-9},
                                                            {'u', 1e-6},
                                                            {'m', 1e-3},
                                                            {'k', 1e3},
                                                            {'K', 1e3},
                                                            {'M', 1e6},
                                                            {'G', 1e9},
                                                            {'T', 1e12}}};
constexpr std::array<std::pair<char, double>, 5> binary_prefixes{
    {{'K', 0x1p10}, {'k', 0x1p10}, {'M', 0x1p20}, {'G', 0x1p30}, {'T', 0x1p40}}};

Unit sized(Dimension dimension, Decimal const& size) { return {dimension, size.nearest(), size}; }

std::optional<Unit> exact_unit(std::string_view text) {
    for (auto const& unit : units) {
        if (unit.name == text) {
            return sized(unit.dimension, Decimal::shortest(unit.in_si));
        }
    }
    return std::nullopt;
}

template <std::size_t N>
std::optional<Unit> scaled_unit(std::string_view name, char prefix, std::array<std::pair<char, double>, N> const& table,
                                bool binary) {
    for (auto const& unit : units) {
        bool const allowed = binary ? unit.takes_binary : unit.takes_prefix;
        if (!allowed || unit.name != name) {
            continue;
        }
        for (auto const& [letter, factor] : table) {
            if (letter == prefix) {
                auto const size = product(Decimal::shortest(unit.in_si), Decimal::shortest(factor));
                return sized(unit.dimension, *size);
            }
        }
    }
    return std::nullopt;
}

std::optional<Unit> prefixed_unit(std::string_view text) {
    if (text.size() > 2 && text[1] == 'i') {
        if (auto unit = scaled_unit(text.substr(2), text[0], binary_prefixes, true)) {
            return unit;
        }
    }
    return text.size() > 1 ? scaled_unit(text.substr(1), text[0], prefixes, false) : std::nullopt;
}

std::optional<Unit> plain_unit(std::string_view text) {
    auto const unit = exact_unit(text);
    return unit ? unit : prefixed_unit(text);
}

std::string lower(std::string_view text) {
    std::string lowered(text);
    for (char& c : lowered) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return lowered;
}

/// ". Did you mean 'GHz'?" if only the letter case is wrong; otherwise "".
std::string other_capitals(std::string_view text) {
    auto const wanted = lower(text);
    for (auto const& unit : units) {
        if (lower(unit.name) == wanted) return fmt::format(". Did you mean '{}'?", unit.name);
        for (auto const& [letter, factor] : prefixes) {
            auto const name = letter + std::string(unit.name);
            if (unit.takes_prefix && lower(name) == wanted) return fmt::format(". Did you mean '{}'?", name);
        }
        for (auto const& [letter, factor] : binary_prefixes) {
            auto const name = std::string{letter, 'i'} + std::string(unit.name);
            if (unit.takes_binary && lower(name) == wanted) return fmt::format(". Did you mean '{}'?", name);
        }
    }
    return "";
}

/// Replaces the superscripts of "mm²" and the micro sign of "µs" by ASCII.
std::string plain_letters(std::string_view text) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> letters{
        {{"\u00b2", "2"}, {"\u00b3", "3"}, {"\u00b5", "u"}, {"\u03bc", "u"}}};
    std::string plain(text);
    for (auto const& [special, usual] : letters) {
        for (auto at = plain.find(special); at != plain.npos; at = plain.find(special, at + usual.size()))
            plain.replace(at, special.size(), usual);
    }
    return plain;
}

/// 1/size as a decimal and a divisor without factors of 5: 1/0.125 = 8/1, 1/3600 = 4e-4/144.
std::pair<Decimal, std::int64_t> reciprocal(Decimal const& size) {
    Decimal decimal{1, -size.exponent};
    auto divisor = static_cast<std::int64_t>(size.digits);
    for (; divisor % 5 == 0; divisor /= 5, --decimal.exponent) decimal.digits *= 2;
    return {decimal, divisor};
}

void multiply(Unit& into, Unit const& factor, int sign) {
    into.dimension = combined(into.dimension, factor.dimension, sign);
    into.in_si = sign > 0 ? into.in_si * factor.in_si : into.in_si / factor.in_si;
    constexpr auto exact_below = Decimal::Digits{1} << 62;  // with 17 digits of a number, the product fits
    auto by = factor.exact;
    std::int64_t parts = 1;
    if (sign < 0) {
        std::tie(by, parts) = reciprocal(factor.exact);
    }
    auto const all = product(into.exact, by);
    if (into.parts == 0 || factor.parts != 1 || !all || all->digits >= exact_below ||
        __builtin_mul_overflow(into.parts, parts, &into.parts)) {
        into.parts = 0;
        return;
    }
    into.exact = *all;
    into.in_si = in_si(1.0, into);
}

/// One factor such as "mm2" or "GB": a unit with an optional exponent 2 or 3.
Unit parse_factor(std::string_view text) {
    if (auto const unit = plain_unit(text)) return *unit;
    if (text.size() > 1 && (text.back() == '2' || text.back() == '3')) {
        int const power = text.back() - '0';
        auto stem = text.substr(0, text.size() - 1);
        stem = stem.back() == '^' ? stem.substr(0, stem.size() - 1) : stem;
        if (auto const unit = plain_unit(stem)) {
            Unit raised;
            for (int i = 0; i < power; ++i) multiply(raised, *unit, 1);
            return raised;
        }
    }
    throw InputError(
        fmt::format("unknown unit '{}' (known: s, Hz, J, W, B, bit, m2, FLOP, USD, g with SI prefixes, KiB/MiB/GiB, "
                    "cycles, tokens){}",
                    clipped(text), text.size() < 16 ? other_capitals(text) : ""));
}

struct Scale {
    std::string_view prefix;
    double factor;
};

constexpr std::array small_and_large{Scale{"T", 1e12}, Scale{"G", 1e9},  Scale{"M", 1e6},
                                     Scale{"k", 1e3},  Scale{"", 1.0},   Scale{"m", 1e-3},
                                     Scale{"u", 1e-6}, Scale{"n", 1e-9}, Scale{"p", 1e-12}};
constexpr std::array binary_scales{Scale{"Ti", 0x1p40}, Scale{"Gi", 0x1p30}, Scale{"Mi", 0x1p20}, Scale{"Ki", 0x1p10},
                                   Scale{"", 1.0}};

template <std::size_t N>
std::string scaled(double si, std::string_view unit, int digits, std::array<Scale, N> const& scales) {
    for (auto const& scale : scales) {
        auto const shown = fmt::format("{:.{}g}", si / scale.factor, digits);
        // The rounded text decides: 999.99 of a unit is printed as 1 of the next larger one.
        if (std::abs(std::strtod(shown.c_str(), nullptr)) >= 1.0)
            return fmt::format("{} {}{}", shown, scale.prefix, unit);
    }
    return fmt::format("{:.{}g} {}", si, digits, unit);
}

/// Rounded to these digits and written in full where it is large: "12350".
std::string without_exponent(double si, int digits) {
    auto const rounded = fmt::format("{:.{}g}", si, digits);
    return rounded.find("e+") == std::string::npos ? rounded
                                                   : fmt::format("{:.0f}", std::strtod(rounded.c_str(), nullptr));
}

}  // namespace

Dimension combined(Dimension a, Dimension b, int times) {
    constexpr int max = 16;
    auto const add = [&](std::int8_t x, std::int8_t y) {
        int const exponent = x + times * y;
        if (std::abs(exponent) > max)
            throw InputError(fmt::format("a unit with the exponent {} is out of range (exponents lie in -{}..{})",
                                         exponent, max, max));
        return static_cast<std::int8_t>(exponent);
    };
    return {add(a.second, b.second),       add(a.joule, b.joule), add(a.byte, b.byte), add(a.metre, b.metre),
            add(a.operation, b.operation), add(a.money, b.money), add(a.mass, b.mass)};
}

Unit parse_unit(std::string_view text) {
    Unit result;
    int sign = 1;
    auto const plain = plain_letters(text);
    std::string_view rest = trimmed(plain, " ");
    while (true) {
        auto const end = rest.find_first_of("/*");
        multiply(result, parse_factor(trimmed(rest.substr(0, end), " ")), sign);
        if (!std::isnormal(result.in_si))
            throw InputError(
                fmt::format("unit '{}' is {} in SI (it must be finite and not 0)", clipped(text), result.in_si));
        if (end == std::string_view::npos) {
            return result;
        }
        sign = rest[end] == '/' ? -1 : 1;
        rest = rest.substr(end + 1);
    }
}

double in_si(double number, Unit const& unit) {
    auto const exact = unit.parts == 0 ? std::nullopt : product(Decimal::shortest(number), unit.exact);
    return exact ? exact->nearest() / static_cast<double>(unit.parts) : number * unit.in_si;
}

AnyQuantity parse_quantity(std::string_view text) {
    auto const trimmed_text = trimmed(text, " ");
    double value = 0.0;
    auto const [end, error] = std::from_chars(trimmed_text.data(), trimmed_text.data() + trimmed_text.size(), value);
    if (error != std::errc{} || !std::isfinite(value)) {
        throw InputError(
            fmt::format("'{}' is not a number with a unit (write it like \"4 ns\" or \"51.2 GB/s\")", clipped(text)));
    }
    if (auto const pointed = with_decimal_point(trimmed_text))
        throw InputError(fmt::format("'{}' has a decimal comma (numbers are written with a point). Write \"{}\"?",
                                     clipped(text), clipped(*pointed)));
    auto const rest = trimmed(trimmed_text.substr(static_cast<std::size_t>(end - trimmed_text.data())), " ");
    if (rest.empty()) {
        return {value, number};
    }
    Unit const unit = parse_unit(rest);
    double const si = in_si(value, unit);
    if (!std::isfinite(si)) throw InputError(fmt::format("'{}' is {} in SI (it must be finite)", clipped(text), si));
    return {si, unit.dimension};
}

std::string print_quantity(double si, std::string_view unit, int digits) {
    if (!std::isfinite(si)) {
        return fmt::format("{} {}", si, unit);
    }
    if (unit == "B" && std::abs(si) >= 1024.0) {
        return scaled(si, unit, digits, binary_scales);
    }
    if (unit == "m2") {
        return fmt::format("{:.{}g} mm2", si * 1e6, digits);
    }
    if (unit == "USD") return fmt::format("{} USD", without_exponent(si, digits));
    if (unit == "kg" && std::abs(si) >= 1.0) return fmt::format("{} kg", without_exponent(si, digits));
    if (unit == "kg") return scaled(si * 1e3, "g", digits, small_and_large);
    for (std::string_view const plain : {"s", "J", "W", "Hz", "B/s", "FLOP/s", "m"}) {
        if (unit == plain) {
            return scaled(si, unit, digits, small_and_large);
        }
    }
    bool const whole = si == std::floor(si) && std::abs(si) < 1e15;
    auto const number_text = whole ? fmt::format("{:.0f}", si) : fmt::format("{:.{}g}", si, digits);
    return unit.empty() || unit == "1" ? number_text : fmt::format("{} {}", number_text, unit);
}

std::string unit_of(Dimension dimension) {
    if (dimension == Dimension{.second = -1}) return "Hz or 1/s";
    if (dimension == Dimension{.second = -1, .joule = 1}) return "W";
    if (dimension == Dimension{.metre = 2}) return "mm2";
    std::string above, below;
    auto const add = [&](int power, std::string_view unit) {
        for (int i = 0; i < power; ++i) above += fmt::format("{}{}", above.empty() ? "" : "*", unit);
        for (int i = 0; i > power; --i) below += fmt::format("/{}", unit);
    };
    add(dimension.money, "USD");
    add(dimension.mass, "kg");
    add(dimension.operation, "FLOP");
    add(dimension.joule, "J");
    add(dimension.byte, "B");
    add(dimension.metre, "m");
    add(dimension.second, "s");
    return (above.empty() ? "1" : above) + below;
}

std::string dimension_name(Dimension dimension) {
    constexpr std::array<std::pair<Dimension, std::string_view>, 14> names{
        {{{}, "plain number"},
         {{.second = 1}, "time"},
         {{.second = -1}, "frequency"},
         {{.joule = 1}, "energy"},
         {{.second = -1, .joule = 1}, "power"},
         {{.byte = 1}, "data"},
         {{.second = -1, .byte = 1}, "bandwidth"},
         {{.metre = 2}, "area"},
         {{.operation = 1}, "operations"},
         {{.second = -1, .operation = 1}, "throughput"},
         {{.metre = 1}, "length"},
         {{.money = 1}, "money"},
         {{.mass = 1}, "mass"},
         {{.joule = 1, .byte = -1}, "energy per data"}}};
    for (auto const& [known, name] : names) {
        if (known == dimension) return std::string(name);
    }
    return "quantity in " + unit_of(dimension);
}

std::string a_dimension(Dimension dimension) {
    auto const name = dimension_name(dimension);
    if (name == "data" || name == "operations" || name == "money") return name;
    bool const vowel = std::string_view("aeo").find(name.front()) != std::string_view::npos;
    return (vowel ? "an " : "a ") + name;
}

namespace {

/// Unit text after a number. Each factor after the first needs a number of its own: "A*B" becomes "A * 1 B".
std::string behind_a_number(Dimension dimension) {
    auto text = unit_of(dimension);
    for (auto at = text.find('*'); at != std::string::npos; at = text.find('*', at + 3)) text.replace(at, 1, " * 1 ");
    return text;
}

}  // namespace

std::string units_differ(Dimension a, Dimension b, std::string_view done) {
    auto const& measured = a.is_number() ? b : a;
    bool const lacks = a.is_number() || b.is_number();
    return fmt::format(
        "{} and {} cannot be {} (units differ){}", dimension_name(a), dimension_name(b), done,
        lacks ? fmt::format(". Does the number lack its unit, such as {}?", behind_a_number(measured)) : "");
}

std::optional<std::string> with_decimal_point(std::string_view text) {
    auto const bare = trimmed(text, " ");
    auto const is_digit = [&](std::size_t at) {
        return at < bare.size() && std::isdigit(static_cast<unsigned char>(bare[at])) != 0;
    };
    std::size_t at = !bare.empty() && (bare.front() == '-' || bare.front() == '+') ? 1 : 0;
    std::size_t const first = at;
    while (is_digit(at)) ++at;
    if (at == first || at >= bare.size() || bare[at] != ',' || !is_digit(at + 1)) return std::nullopt;
    std::string pointed(bare);
    pointed[at] = '.';
    return pointed.find(',') == pointed.npos ? std::optional(pointed) : std::nullopt;
}

std::string point_for_comma(std::string_view text) {
    auto const pointed = with_decimal_point(text);
    return pointed ? fmt::format(". Write \"{}\" (numbers have a decimal point)?", clipped(*pointed)) : "";
}

}  // namespace pimdse::sim
