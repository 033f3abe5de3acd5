#pragma once

#include "models/contract/parameter.hpp"

#include <string>
#include <string_view>

namespace pimdse::models {

/// "unknown parameter 'bach' of umdam. Did you mean 'batch'?"; `machine` may be "". Other words for devices are known.
[[nodiscard]] std::string unknown_parameter(std::string_view name, Parameters const& parameters,
                                            std::string_view machine = "");

}  // namespace pimdse::models
