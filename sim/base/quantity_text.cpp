#include "sim/base/quantity_text.hpp"

#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace pimdse::sim {
namespace {

struct NamedUnit {
    std::string_view name;
    Dimension dimension;
    double in_si;
    std::string_view prefixes = "";  ///< the SI prefixes in use with it: "ns" and "GB", but neither "Ms" nor "mB"
    bool binary = false;             ///< "KiB"
};

constexpr Dimension number{};
constexpr Dimension second{1, 0, 0, 0, 0};
constexpr Dimension hertz{-1, 0, 0, 0, 0};
constexpr Dimension joule{0, 1, 0, 0, 0};
constexpr Dimension watt{-1, 1, 0, 0, 0};
constexpr Dimension byte{0, 0, 1, 0, 0};
constexpr Dimension byte_rate{-1, 0, 1, 0, 0};
constexpr Dimension metre{0, 0, 0, 1, 0};
constexpr Dimension square_metre{0, 0, 0, 2, 0};
constexpr Dimension operation{0, 0, 0, 0, 1};
constexpr Dimension operation_rate{-1, 0, 0, 0, 1};
constexpr Dimension dollar{.money = 1};
constexpr Dimension kilogram{.mass = 1};

// K is not an SI prefix: of data it may be 1000 or 1024; of other units it is read as k.
constexpr std::string_view of_times = "fpnum", of_rates = "kKMGTP", of_data = "kMGTP", of_energies = "fpnumkKMGT";

constexpr std::array units{
    NamedUnit{"s", second, 1.0, of_times},
    NamedUnit{"min", second, 60.0},
    NamedUnit{"h", second, 3600.0},
    NamedUnit{"year", second, 31'557'600.0},
    NamedUnit{"years", second, 31'557'600.0},
    NamedUnit{"Hz", hertz, 1.0, of_rates},
    NamedUnit{"J", joule, 1.0, of_energies},
    NamedUnit{"W", watt, 1.0, of_energies},
    NamedUnit{"Wh", joule, 3600.0, of_energies},
    NamedUnit{"USD", dollar, 1.0, "kKMG"},
    NamedUnit{"g", kilogram, 1e-3, "numkK"},
    NamedUnit{"gCO2e", kilogram, 1e-3, "numkK"},
    NamedUnit{"B", byte, 1.0, of_data, true},
    NamedUnit{"bit", byte, 0.125, of_data, true},
    NamedUnit{"b", byte, 0.125, of_data, true},
    NamedUnit{"bps", byte_rate, 0.125, of_data},
    NamedUnit{"m", metre, 1.0, "fpnumk"},
    NamedUnit{"FLOP", operation, 1.0, of_rates},
    NamedUnit{"op", operation, 1.0, of_rates},
    NamedUnit{"MAC", operation, 2.0, of_rates},
    NamedUnit{"FLOPS", operation_rate, 1.0, of_rates},
    NamedUnit{"OPS", operation_rate, 1.0, of_rates},
    NamedUnit{"MT", number, 1e6},  // transfers, as in 6400 MT/s; "T" alone may be a trillion
    NamedUnit{"GT", number, 1e9},
    NamedUnit{"1", number, 1.0},
    NamedUnit{"cycle", number, 1.0},
    NamedUnit{"cycles", number, 1.0},
    NamedUnit{"token", number, 1.0},
    NamedUnit{"tokens", number, 1.0},
    NamedUnit{"element", number, 1.0},
    NamedUnit{"elements", number, 1.0},
    NamedUnit{"vectors", number, 1.0},
    NamedUnit{"sequences", number, 1.0},
    NamedUnit{"words", number, 1.0},
    NamedUnit{"steps", number, 1.0},
    NamedUnit{"instructions", number, 1.0},
    NamedUnit{"slots", number, 1.0},
    NamedUnit{"flits", number, 1.0},
    NamedUnit{"%", number, 0.01},
};

constexpr std::array<std::pair<char, double>, 11> prefixes{{{'f', 1e-15},
                                                            {'p', 1e-12},
                                                            {'n', 1e-9},
                                                            {'u', 1e-6},
                                                            {'m', 1e-3},
                                                            {'k', 1e3},
                                                            {'K', 1e3},
                                                            {'M', 1e6},
                                                            {'G', 1e9},
                                                            {'T', 1e12},
                                                            {'P', 1e15}}};
constexpr std::array<std::pair<char, double>, 5> binary_prefixes{
    {{'K', 0x1p10}, {'M', 0x1p20}, {'G', 0x1p30}, {'T', 0x1p40}, {'P', 0x1p50}}};

template <std::size_t N>
std::optional<double> factor_of(char letter, std::array<std::pair<char, double>, N> const& table) {
    for (auto const& [known, factor] : table) {
        if (known == letter) return factor;
    }
    return std::nullopt;
}

/// What "", "G" or "Gi" before a unit multiplies; nullopt if it is not a prefix of this unit.
std::optional<double> prefix_factor(std::string_view prefix, NamedUnit const& unit) {
    if (prefix.empty()) return 1.0;
    if (prefix.size() == 1 && unit.prefixes.find(prefix) != prefix.npos) return factor_of(prefix[0], prefixes);
    if (prefix.size() == 2 && prefix[1] == 'i' && unit.binary) return factor_of(prefix[0], binary_prefixes);
    return std::nullopt;
}

std::optional<Unit> plain_unit(std::string_view text) {
    for (auto const& unit : units) {
        if (!text.ends_with(unit.name)) continue;
        auto const factor = prefix_factor(text.substr(0, text.size() - unit.name.size()), unit);
        if (!factor) continue;
        auto const size = *product(Decimal::shortest(unit.in_si), Decimal::shortest(*factor));
        return Unit{unit.dimension, size.nearest(), size};
    }
    return std::nullopt;
}

std::string lower(std::string_view text) {
    std::string lowered(text);
    for (char& c : lowered) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return lowered;
}

/// The units that differ from `stem` in capitals only, and "KiB" for "KB". A typed B is never taken for a bit.
std::vector<std::string> other_capitals(std::string_view stem, std::string_view exponent) {
    std::vector<std::string> meant;
    for (auto const& unit : units) {
        if (stem.find('B') != stem.npos && (unit.name == "b" || unit.name == "bps")) continue;
        auto const add = [&](std::string const& prefix) {
            auto const name = prefix + std::string(unit.name);
            bool const lacks_i = prefix.size() == 2 && stem == prefix[0] + std::string(unit.name);
            if (lacks_i || lower(name) == lower(stem)) meant.push_back(fmt::format("'{}{}'", name, exponent));
        };
        add("");
        for (auto const& [letter, _] : prefixes) {
            if (letter != 'K' && prefix_factor({&letter, 1}, unit)) add({letter});
        }
        for (auto const& [letter, _] : binary_prefixes) {
            if (unit.binary) add({letter, 'i'});
        }
    }
    return meant;
}

/// `text` is `stem` with an exponent.
[[noreturn]] void refuse_unit(std::string_view text, std::string_view stem) {
    constexpr std::size_t longest = 16;
    auto const meant =
        stem.size() < longest ? other_capitals(stem, text.substr(stem.size())) : std::vector<std::string>();
    auto const hint = meant.empty() ? "" : fmt::format(". Did you mean {}?", fmt::join(meant, " or "));
    for (auto const& unit : units) {
        if (!unit.prefixes.empty() && stem.size() == unit.name.size() + 1 && stem.ends_with(unit.name) &&
            factor_of(stem[0], prefixes))
            throw InputError("unit '{}' has a prefix that is not used with {} (in use: {}{}){}", text, unit.name,
                             fmt::join(unit.prefixes, ", "), unit.binary ? ", Ki, Mi, Gi, Ti, Pi" : "", hint);
    }
    throw InputError(
        "unknown unit '{}' (known: s, Hz, J, W, B, bit, m2, FLOP, USD, g with SI prefixes, KiB/MiB/GiB, "
        "cycles, tokens){}",
        clipped(text), hint);
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
    auto stem = text;
    if (text.size() > 1 && (text.back() == '2' || text.back() == '3')) {
        int const power = text.back() - '0';
        stem.remove_suffix(stem.ends_with("^2") || stem.ends_with("^3") ? 2 : 1);
        if (auto const unit = plain_unit(stem)) {
            Unit raised;
            for (int i = 0; i < power; ++i) multiply(raised, *unit, 1);
            return raised;
        }
    }
    refuse_unit(text, stem);
}

struct Scale {
    std::string_view prefix;
    double factor;
};

constexpr std::array small_and_large{Scale{"T", 1e12}, Scale{"G", 1e9},  Scale{"M", 1e6},
                                     Scale{"k", 1e3},  Scale{"", 1.0},   Scale{"m", 1e-3},
                                     Scale{"u", 1e-6}, Scale{"n", 1e-9}, Scale{"p", 1e-12}};
constexpr std::span<Scale const> all_scales{small_and_large}, large_scales = all_scales.first(5),
                                                              small_scales = all_scales.subspan(4);
constexpr std::array binary_scales{Scale{"Ti", 0x1p40}, Scale{"Gi", 0x1p30}, Scale{"Mi", 0x1p20}, Scale{"Ki", 0x1p10},
                                   Scale{"", 1.0}};

std::string scaled(double si, std::string_view unit, int digits, std::span<Scale const> scales) {
    for (auto const& scale : scales) {
        if (std::abs(si) < 0.5 * scale.factor) continue;  // no rounding makes it 1 of this unit
        auto const shown = print_number(si / scale.factor, digits);
        // The rounded text decides: 999.99 of a unit is printed as 1 of the next larger one.
        if (std::abs(std::strtod(shown.c_str(), nullptr)) >= 1.0)
            return fmt::format("{} {}{}", shown, scale.prefix, unit);
    }
    return fmt::format("{} {}", print_number(si, digits), unit);
}

/// Unit text after a number. Each factor after the first needs a number of its own: "A*B" becomes "A * 1 B".
std::string behind_a_number(Dimension dimension) {
    auto text = unit_of(dimension);
    for (auto at = text.find('*'); at != std::string::npos; at = text.find('*', at + 3)) text.replace(at, 1, " * 1 ");
    return text;
}

/// Whether commas separate thousands: 1,024 but neither 0,125 nor 1024,125.
bool are_thousands(std::vector<std::string_view> const& groups) {
    return groups.front().size() <= 3 && groups.front().front() != '0' &&
           std::all_of(groups.begin() + 1, groups.end(), [](std::string_view group) { return group.size() == 3; });
}

}  // namespace

std::string print_number(double value, int digits) {
    constexpr double largest = 1e15;
    auto const rounded = fmt::format("{:.{}g}", value, digits);
    return rounded.find("e+") == std::string::npos || !(std::abs(value) < largest)
               ? rounded
               : fmt::format("{:.0f}", std::strtod(rounded.c_str(), nullptr));
}

Dimension combined(Dimension a, Dimension b, int times) {
    constexpr int max = 16;
    auto const add = [&](std::int8_t x, std::int8_t y) {
        int const exponent = x + times * y;
        if (std::abs(exponent) > max)
            throw InputError("a unit with the exponent {} is out of range (exponents lie in -{}..{})", exponent, max,
                             max);
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
            throw InputError("unit '{}' is {} in SI (it must be finite and not 0)", clipped(text), result.in_si);
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
        throw InputError("'{}' is not a number with a unit (write it like \"4 ns\" or \"51.2 GB/s\")", clipped(text));
    }
    if (auto const why = comma_mistake(trimmed_text); !why.empty()) throw InputError("'{}' {}", clipped(text), why);
    auto const rest = trimmed(trimmed_text.substr(static_cast<std::size_t>(end - trimmed_text.data())), " ");
    if (rest.empty()) {
        return {value, number};
    }
    Unit const unit = parse_unit(rest);
    double const si = in_si(value, unit);
    if (!std::isfinite(si)) throw InputError("'{}' is {} in SI (it must be finite)", clipped(text), si);
    return {si, unit.dimension};
}

std::string print_quantity(double si, std::string_view unit, int digits) {
    if (!std::isfinite(si)) {
        return fmt::format("{} {}", si, unit);
    }
    if (unit == "B" && std::abs(si) >= 1024.0) {
        return scaled(si, unit, digits, binary_scales);
    }
    if (unit == "s" && std::abs(si) >= 600.0) {
        constexpr double minute = 60.0, hour = 3600.0;
        bool const hours = std::abs(si) >= 10.0 * hour;
        return fmt::format("{} {}", print_number(si / (hours ? hour : minute), digits), hours ? "h" : "min");
    }
    if (unit == "m2") return print_number(si * 1e6, digits) + " mm2";
    if (unit == "kg" && std::abs(si) < 1.0) return scaled(si * 1e3, "g", digits, small_scales);
    using Scales = std::pair<std::string_view, std::span<Scale const>>;
    for (auto const& [scaled_unit, scales] :
         {Scales{"s", small_scales}, Scales{"m", small_scales}, Scales{"J", all_scales}, Scales{"W", all_scales},
          Scales{"Hz", large_scales}, Scales{"B/s", large_scales}, Scales{"FLOP/s", large_scales}}) {
        if (unit == scaled_unit) return scaled(si, unit, digits, scales);
    }
    constexpr double largest_whole = 1e15;
    bool const whole = si == std::floor(si) && std::abs(si) < largest_whole && unit != "USD" && unit != "kg";
    auto const number_text = whole ? fmt::format("{:.0f}", si) : print_number(si, digits);
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

std::string units_differ(Dimension a, Dimension b, std::string_view done) {
    auto const& measured = a.is_number() ? b : a;
    bool const lacks = a.is_number() || b.is_number();
    return fmt::format(
        "{} and {} cannot be {} (units differ){}", dimension_name(a), dimension_name(b), done,
        lacks ? fmt::format(". Does the number lack its unit, such as {}?", behind_a_number(measured)) : "");
}

std::optional<std::string> without_commas(std::string_view text) {
    auto const bare = trimmed(text, " ");
    std::size_t const first = !bare.empty() && (bare.front() == '-' || bare.front() == '+') ? 1 : 0;
    auto const end = std::min(bare.find_first_not_of("0123456789,", first), bare.size());
    auto const groups = split(bare.substr(first, end - first), ',');
    auto const rest = bare.substr(end);
    auto const empty = [](std::string_view group) { return group.empty(); };
    if (groups.size() < 2 || std::ranges::any_of(groups, empty) || rest.find(',') != rest.npos) return std::nullopt;
    bool const thousands = are_thousands(groups);
    if (!thousands && (groups.size() > 2 || rest.starts_with('.'))) return std::nullopt;
    return fmt::format("{}{}{}", bare.substr(0, first), fmt::join(groups, thousands ? "" : "."), rest);
}

std::string comma_mistake(std::string_view text) {
    auto const written = without_commas(text);
    if (!written) return "";
    return fmt::format("has a {}. Write \"{}\"?",
                       written->size() < trimmed(text, " ").size()
                           ? "comma between thousands (numbers are written without it)"
                           : "decimal comma (numbers are written with a point)",
                       clipped(*written));
}

std::string hint_for_comma(std::string_view text) {
    auto const written = without_commas(text);
    return written ? fmt::format(". Write \"{}\" (numbers have a decimal point and no other mark)?", clipped(*written))
                   : "";
}

}  // namespace pimdse::sim
