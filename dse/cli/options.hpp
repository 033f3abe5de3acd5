#pragma once

#include "dse/space/space_reader.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/program_options.hpp>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace pimdse::dse::cli {

namespace po = boost::program_options;

/// A wrong flag or a missing argument; main prints it and exits with 2.
class UsageError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

enum class Format { text, json, csv };

/// How a verb is called: its line, what it does, its flags and one worked example, all shown by --help.
struct Manual {
    std::string_view line;  ///< "pimdse front FILE.h5 [flags]"
    std::string_view purpose;
    std::string_view example;              ///< a command and what it prints, or a remark on it
    std::vector<std::string> positionals;  ///< names, in order; a last name ending in "..." takes the rest
};

/// Parses the words of one verb. Nothing if --help was asked for (and printed). Throws UsageError in one sentence with
/// a suggestion for a mistyped flag. --help is added by itself; abbreviations of flags are refused so that scripts stay
/// stable.
[[nodiscard]] std::optional<po::variables_map> parse(Manual const& manual, po::options_description const& flags,
                                                     std::vector<std::string> const& arguments);

/// Adds --format.
void add_format(po::options_description& flags);
[[nodiscard]] Format format_of(po::variables_map const& values);

/// The same where an answer, as `what` names it, is no table. Throws UsageError for csv.
[[nodiscard]] Format format_without_csv(po::variables_map const& values, std::string_view what);

/// "k=v" words of --set as overrides. Throws UsageError for one without '='.
[[nodiscard]] std::vector<space::Override> pairs_of(po::variables_map const& values, std::string const& flag);
/// What --set and --assume replace of a space.
[[nodiscard]] std::vector<space::Override> overrides_of(po::variables_map const& values);

/// The text of a positional that must be there. Throws UsageError.
[[nodiscard]] std::string needed(po::variables_map const& values, std::string const& name, Manual const& manual);

// What flags say, read by the type they have. Every mistake is a UsageError in one sentence that says what is allowed.

/// The numbers a flag takes, both ends included.
template <class Number>
struct Limits {
    Number lower = 0;
    Number upper = std::numeric_limits<Number>::max();
};

/// "from 1 to 1024", or "from 0 up" where the type is the only limit.
template <class Number>
[[nodiscard]] std::string limits_text(Limits<Number> limits) {
    if (limits.upper == std::numeric_limits<Number>::max()) return fmt::format("from {} up", limits.lower);
    return fmt::format("from {} to {}", limits.lower, limits.upper);
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
    if (value && *value >= limits.lower && *value <= limits.upper) return *value;  // NaN is in no limits
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
