#pragma once

#include "dse/cli/options.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/decimal_comma.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

/// What flags say, read by the type they have. Every mistake is a UsageError in one sentence that says what is allowed.
namespace pimdse::dse::cli {

/// The numbers a flag takes, both ends included.
template <class Number>
struct Limits {
    Number low = 0;
    Number high = std::numeric_limits<Number>::max();
};

/// "from 1 to 1024", or "from 0 up" where the type is the only limit.
template <class Number>
[[nodiscard]] std::string limits_text(Limits<Number> limits) {
    if (limits.high == std::numeric_limits<Number>::max()) return fmt::format("from {} up", limits.low);
    return fmt::format("from {} to {}", limits.low, limits.high);
}

/// The number that `text` is, all of it; nothing if it is none. A whole number may be written as 1000.0 or 1e3.
template <class Number>
[[nodiscard]] std::optional<Number> number_in(std::string_view text) {
    Number value{};
    auto const read = [text](auto& into) {
        auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
        return error == std::errc{} && end == text.data() + text.size();
    };
    if (read(value)) return value;
    double real = 0.0;
    if constexpr (std::numeric_limits<Number>::is_integer) {
        if (read(real) && std::abs(real) <= 0x1p53) return sim::exact_whole<Number>(real);
    }
    return std::nullopt;
}

/// The same within limits. `what` names it in the sentence, such as "--budget".
template <class Number>
[[nodiscard]] Number read_number(std::string_view what, std::string_view text, Limits<Number> limits = {}) {
    auto const value = number_in<Number>(text);
    if (value && *value >= limits.low && *value <= limits.high) return *value;  // NaN is in no limits
    constexpr std::string_view kind = std::numeric_limits<Number>::is_integer ? "whole number" : "number";
    throw UsageError(
        fmt::format("{} '{}' is no {} {}{}", what, text, kind, limits_text(limits), sim::point_for_comma(text)));
}

/// The number a flag says; the flag is declared as text and has a default or was given.
template <class Number>
[[nodiscard]] Number number_of(po::variables_map const& values, std::string const& flag, Limits<Number> limits = {}) {
    return read_number<Number>("--" + flag, values[flag].as<std::string>(), limits);
}

/// Nothing where the flag was not given.
template <class Number>
[[nodiscard]] std::optional<Number> given_number(po::variables_map const& values, std::string const& flag,
                                                 Limits<Number> limits = {}) {
    return values.contains(flag) ? std::optional(number_of<Number>(values, flag, limits)) : std::nullopt;
}

/// A time with its unit ("90 s", "2 h"), in seconds: more than 0 and at most 1e9 s.
[[nodiscard]] double seconds_of(po::variables_map const& values, std::string const& flag);

/// The threads of this process: --threads, or what thread_count() finds where it is 0.
[[nodiscard]] int threads_of(po::variables_map const& values);

/// What `read` gives; a name or text it does not know is a mistake of the flag, not of a file. `flag` names it
/// ("--keep") or, where several together are wrong, is empty.
template <class Read>
[[nodiscard]] auto from_flag(std::string_view flag, Read const& read) {
    try {
        return read();
    } catch (sim::InputError const& error) {
        std::string const why = fmt::format("{}", fmt::join(error.sentences(), "; "));
        throw UsageError(flag.empty() ? why : fmt::format("{}: {}", flag, why));
    }
}

}  // namespace pimdse::dse::cli
