#pragma once

#include "dse/space_file/space_reader.hpp"

#include <boost/program_options.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
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
[[nodiscard]] std::vector<space_file::Override> pairs_of(po::variables_map const& values, std::string const& flag);
/// What --set and --assume replace of a space.
[[nodiscard]] std::vector<space_file::Override> overrides_of(po::variables_map const& values);

/// The text of a positional that must be there. Throws UsageError.
[[nodiscard]] std::string needed(po::variables_map const& values, std::string const& name, Manual const& manual);

}  // namespace pimdse::dse::cli
