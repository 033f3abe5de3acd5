#pragma once

#include "dse/space/space_reader.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/number_in.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/program_options.hpp>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::dse::cli {

/// A wrong flag or a missing argument; main prints the message and exits with 2.
class UsageError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
    /// The message as fmt::format makes it.
    template <class First, class... Rest>
    UsageError(fmt::format_string<First, Rest...> message, First&& first, Rest&&... rest)
        : std::runtime_error(fmt::format(message, std::forward<First>(first), std::forward<Rest>(rest)...)) {}
};

/// The manual of a verb, shown by --help together with its flags: usage line, purpose and one worked example.
struct Manual {
    std::string line;  ///< "pimdse front FILE.h5 [flags]"
    std::string purpose;
    std::string example;                   ///< a command and its output, or a remark on it
    std::vector<std::string> positionals;  ///< names, in order; a last name ending in "..." takes the rest
    std::string summary{};                 ///< for the list of verbs
};

/// The flags of a verb. Values are texts, which the verb reads, so that every mistake is one sentence.
class Flags : public boost::program_options::options_description {
  public:
    /// Adds a flag as dse/cli/manual.txt writes it, such as "--depth=(3) how deep", or those of a group ("@point").
    void add(std::string_view written);
};

/// What the manual says of a verb.
struct Page {
    Manual manual;
    Flags flags;
};

/// The page of a verb ("front", "dram replay"), which there must be. `detail` stands for {} in it.
[[nodiscard]] Page page_of(std::string_view verb, std::string_view detail = "");

enum class Format { text, json, csv };

/// Thrown after --help has been printed: nothing is left to do.
struct HelpPrinted {};

/// The flags and arguments that a verb was given.
class CommandLine : public boost::program_options::variables_map {
  public:
    CommandLine() = default;
    explicit CommandLine(Manual manual) : manual_(std::make_shared<Manual const>(std::move(manual))) {}
    /// The value of a flag that was given or has a usual value.
    [[nodiscard]] std::string const& text(std::string const& name) const { return (*this)[name].as<std::string>(); }
    [[nodiscard]] std::optional<std::string> given(std::string const& name) const {
        return contains(name) ? std::optional(text(name)) : std::nullopt;
    }
    /// All values of a flag or argument that may be repeated.
    [[nodiscard]] std::vector<std::string> texts(std::string const& name) const;
    /// The words of a flag (words_in); none if it was not given.
    [[nodiscard]] std::vector<std::string> words(std::string const& name) const;
    /// The value of a required flag or argument. Throws UsageError if it is missing.
    [[nodiscard]] std::string needed(std::string const& name) const;
    [[nodiscard]] std::string_view usage() const { return manual_->line; }
    std::vector<std::string> typed;  ///< "pimdse", the verb, and what was typed behind it
    /// Replaces the value of a flag: a text, or a list of them.
    void set(std::string const& name, boost::any const& value) {
        erase(name);
        emplace(name, boost::program_options::variable_value(value, false));
    }

  private:
    std::shared_ptr<Manual const> manual_;
};

/// Parses the arguments of one verb. Throws HelpPrinted after --help, which every verb has, and UsageError in one
/// sentence, with a suggestion for a mistyped flag. Abbreviations of flags are refused so that scripts stay stable.
[[nodiscard]] CommandLine parse(Manual const& manual, Flags const& flags, std::vector<std::string> const& arguments);

/// The arguments of a verb by its page of the manual. Throws as parse.
[[nodiscard]] CommandLine command_line(std::string_view verb, std::vector<std::string> const& arguments,
                                       std::string_view detail = "");

[[nodiscard]] Format format_of(CommandLine const& values);

/// The format of an output that is not a table; `output` names it in the message. Throws UsageError for csv.
[[nodiscard]] Format format_without_csv(CommandLine const& values, std::string_view output);

/// The "name=value" words of a flag as overrides. Throws UsageError for a word without '=', and for a name given twice.
[[nodiscard]] std::vector<space::Override> pairs_of(CommandLine const& values, std::string const& flag);
/// Throws UsageError if a name is given twice; `flags` says by what.
void refuse_repeated(std::vector<space::Override> const& pairs, std::string_view flags);
/// The parameters and assumptions of a space that --set and --assume replace.
[[nodiscard]] std::vector<space::Override> overrides_of(CommandLine const& values);

// Values of flags, parsed by type. Every mistake is a UsageError in one sentence that states what is accepted.

/// The words between the commas of a text. Throws UsageError for an empty one; `what` has the text ("--objectives").
[[nodiscard]] std::vector<std::string> words_in(std::string_view what, std::string_view text);

/// The position of a word among `names`; `what` is what they name ("--scheduler", "link").
[[nodiscard]] std::size_t position_of(std::string_view what, std::string const& word,
                                      std::vector<std::string> const& names);
/// The value of a flag as the enumerator at its position among these names.
template <class Enum, class Names>
[[nodiscard]] Enum choice_of(CommandLine const& values, std::string const& flag, Names const& names) {
    return static_cast<Enum>(position_of("--" + flag, values.text(flag), {std::begin(names), std::end(names)}));
}

/// The range of numbers that a flag accepts, both ends included.
template <class Number>
struct Limits {
    Number lower = 0;
    Number upper = std::numeric_limits<Number>::max();
};

/// "from 1 to 1024", or "of at least 0" if the type is the only upper limit.
template <class Number>
[[nodiscard]] std::string limits_text(Limits<Number> limits) {
    if (limits.upper == std::numeric_limits<Number>::max()) return fmt::format("of at least {}", limits.lower);
    return fmt::format("from {} to {}", limits.lower, limits.upper);
}

/// The number that the whole of `text` represents; nothing if it is not a number. A whole number may be written as
/// 1000.0 or 1e3.
template <class Number>
[[nodiscard]] std::optional<Number> number_in(std::string_view text) {
    if (auto const value = sim::number_in<Number>(text)) return value;
    if constexpr (std::numeric_limits<Number>::is_integer) {
        auto const real = sim::number_in<double>(text);
        if (real && std::abs(*real) <= 0x1p53) return sim::exact_whole<Number>(*real);
    }
    return std::nullopt;
}

/// The number within limits; throws UsageError otherwise. `name` names it in the message, such as "--budget".
template <class Number>
[[nodiscard]] Number read_number(std::string_view name, std::string_view text, Limits<Number> limits = {}) {
    auto const value = number_in<Number>(text);
    if (value && *value >= limits.lower && *value <= limits.upper) return *value;  // NaN fails both comparisons
    constexpr std::string_view kind = std::numeric_limits<Number>::is_integer ? "whole number" : "number";
    throw UsageError("{} must be a {} {} (got '{}'){}", name, kind, limits_text(limits), text,
                     sim::hint_for_comma(text));
}

/// The number that a flag was given; the flag is declared as text and has a default or was given.
template <class Number>
[[nodiscard]] Number number_of(CommandLine const& values, std::string const& flag, Limits<Number> limits = {}) {
    return read_number<Number>("--" + flag, values.text(flag), limits);
}

/// The number that a flag was given; nothing if the flag was not given.
template <class Number>
[[nodiscard]] std::optional<Number> given_number(CommandLine const& values, std::string const& flag,
                                                 Limits<Number> limits = {}) {
    return values.contains(flag) ? std::optional(number_of<Number>(values, flag, limits)) : std::nullopt;
}

/// A time with its unit ("90 s", "2 h"), in seconds: more than 0 and at most 1e9 s.
[[nodiscard]] double seconds_of(CommandLine const& values, std::string const& flag);

/// A flag that is a share, as "2 %" or 0.02; nullopt if it is not given. Throws UsageError for a negative one.
[[nodiscard]] std::optional<double> given_share(CommandLine const& values, std::string const& flag);

/// The number of threads of this process: --threads, or the result of thread_count() if that is 0.
[[nodiscard]] int threads_of(CommandLine const& values);

/// Returns the result of `read` and turns its InputError into a UsageError, because the mistake is in a flag, not in a
/// file; one about an input that cannot be read stays what it is. `flag` names the flag ("--keep"); it is empty if the
/// message concerns several flags together.
template <class Read>
[[nodiscard]] auto from_flag(std::string_view flag, Read const& read) {
    try {
        return read();
    } catch (sim::InputError const& error) {
        if (error.only_unreadable()) throw;
        std::string why = fmt::format("{}", fmt::join(error.sentences(), "; "));
        if (flag.empty()) throw UsageError(why);
        auto const named = fmt::format("unknown {} ", flag.substr(flag.find_first_not_of('-')));
        if (why.starts_with(named)) why.replace(0, named.size(), "unknown value ");
        throw UsageError("{}: {}", flag, why);
    }
}

}  // namespace pimdse::dse::cli
