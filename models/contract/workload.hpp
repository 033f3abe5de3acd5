#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::models {

/// What a request may say, under the same names for every architecture; docs/spaces.md has their meanings.
/// `precision` is no parameter of a machine but the least its metric of that name may be.
inline constexpr std::string_view precision_key = "precision";
inline constexpr std::array<std::string_view, 11> workload_keys{"llm",          "kernel",      "elements",   "input",
                                                                "output",       "batch",       "generation", "steps",
                                                                "block_length", "model_cache", precision_key};

/// How an architecture is asked what its own parameters have no word for.
struct Workload {
    std::vector<std::pair<std::string, std::string>>
        implied;  ///< {"scope", "end_to_end"}: a parameter's value that goes with requests to an llm
    std::vector<std::pair<std::string, std::string>>
        only;  ///< {"batch", "1"}: a key that is no parameter, and the one value that is served
};

}  // namespace pimdse::models
