#pragma once

#include "dse/cli/options.hpp"
#include "dse/cli/run/run_request.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::cli::run {

/// The flags of every verb that evaluates the points of a space into a file.
void add_run_flags(po::options_description& flags);

/// What these flags ask for; `manual` is that of the verb. Throws UsageError.
[[nodiscard]] RunRequest run_request_of(po::variables_map const& values, Manual const& manual, std::string const& verb,
                                        std::vector<std::string> const& arguments);

template <class T>
std::optional<T> given(po::variables_map const& values, char const* name) {
    return values.contains(name) ? std::optional(values[name].as<T>()) : std::nullopt;
}

}  // namespace pimdse::dse::cli::run
