#pragma once

#include "dse/cli/options.hpp"
#include "dse/space/scenarios.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::dse::cli {

/// A question without a space file: which designs of some machines serve a model best, under which limits.
struct AskedQuestion {
    std::string model;  ///< a name, or the absolute path of a file or folder
    /// Keys of [scenario.traffic] and [scenario.slo] as they stand in a space file ("rate", "\"3 1/s\""); without
    /// traffic, `request` has input, output and batch instead.
    std::vector<std::pair<std::string, std::string>> traffic, limits, request;
    std::string share = "0.99";      ///< of the requests that must meet the limits
    std::vector<std::string> under;  ///< conditions on metrics
    std::vector<std::string> objectives;
    std::vector<models::Architecture const*> machines;
    std::vector<std::string> devices;                                ///< values of `devices`; empty: the machine's own
    std::vector<std::pair<std::string, std::string>> assumptions{};  ///< as --assume gives them

    std::vector<space::WrittenScenario> scenarios{};  ///< instead of traffic, limits and request

    [[nodiscard]] bool has_traffic() const {
        return !traffic.empty() || std::ranges::any_of(scenarios, space::has_traffic);
    }
};

/// Values of parameters by machine, as they stand in a space file.
using FixedDesigns = std::map<std::string, std::vector<std::pair<std::string, std::string>>>;

/// The question as a space: each machine with the axes that are worth asking (models::asked_axes), its scenarios, a
/// constraint for each condition. `only`: these designs of these machines instead. Throws InputError.
[[nodiscard]] std::string space_text_of(AskedQuestion const& question, FixedDesigns const* only = nullptr);

/// The space of `explore MACHINES --model M`, with --scenario, --devices, --assume and --objectives. Throws InputError
/// and UsageError.
[[nodiscard]] std::string asked_space(CommandLine const& values, std::string const& machines);

/// A text as it stands in a space file.
[[nodiscard]] std::string in_toml(std::string_view text);

/// A file by its absolute path; everything else, such as the name of a model, as it is.
[[nodiscard]] std::string path_or_name(std::string const& text);

/// The machines of a list "gpu,aim_card,./mine.toml"; all that come with the program without a list: one for each kind,
/// without the boards that `gpu` has as choices. Throws InputError, and UsageError for an empty word.
[[nodiscard]] std::vector<models::Architecture const*> machines_asked(std::optional<std::string> const& list);

/// Values of "1..8" (powers of two between both), "4", or "1,2,4". Throws UsageError.
[[nodiscard]] std::vector<std::string> device_counts(std::string const& text);

}  // namespace pimdse::dse::cli
