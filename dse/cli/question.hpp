#pragma once

#include "dse/cli/options.hpp"
#include "dse/space/scenarios.hpp"
#include "sim/base/check.hpp"

#include <algorithm>
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
    std::string_view objectives_flag = "objectives";
    std::vector<models::Architecture const*> machines;
    std::vector<std::string> devices;                                ///< values of `devices`; empty: the machine's own
    std::vector<std::pair<std::string, std::string>> assumptions{};  ///< as --assume gives them

    std::vector<space::WrittenScenario> scenarios{};  ///< instead of traffic, limits and request

    [[nodiscard]] bool has_traffic() const {
        return !traffic.empty() || std::ranges::any_of(scenarios, space::has_traffic);
    }
};

/// The question as a space: each machine with the axes that are worth asking (models::asked_axes), its scenarios, a
/// constraint for each condition; what a flag brought ends with "# --FLAG". Throws InputError.
[[nodiscard]] std::string space_text_of(AskedQuestion const& question);

/// What is wrong in the text of an asked space, which has the name `file`: what a flag brought is named after it.
[[nodiscard]] sim::InputError named_after_flags(sim::InputError const& error, std::string const& file,
                                                std::string const& text);

/// The space of `explore MACHINES --model M`, with --scenario, --devices, --assume and --objectives. Throws InputError
/// and UsageError.
[[nodiscard]] std::string asked_space(CommandLine const& values, std::string const& machines);

/// A text as it stands in a space file.
[[nodiscard]] std::string in_toml(std::string_view text);

/// A file by its absolute path; everything else, such as the name of a model, as it is.
[[nodiscard]] std::string path_or_name(std::string const& text);

/// The machines of a list "gpu,aim_card,./mine.toml"; all that come with the program without a list: one for each kind,
/// without the boards that `gpu` has as choices. `what` names the list in messages. Throws InputError, and UsageError
/// for an empty word.
[[nodiscard]] std::vector<models::Architecture const*> machines_asked(std::string_view what,
                                                                      std::optional<std::string> const& list);

/// Values of "1..8" (powers of two between both), "4", or "1,2,4". Throws UsageError.
[[nodiscard]] std::vector<std::string> device_counts(std::string const& text);

}  // namespace pimdse::dse::cli
