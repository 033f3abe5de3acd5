#pragma once

#include "models/contract/architecture.hpp"

#include <string>

namespace pimdse::dse::task {

/// A value for people, in the multiple of its unit that reads best: "450 MHz", "1 TB/s", "8 MiB"; models::print_value
/// has it to the last digit.
[[nodiscard]] std::string shown_value(models::Parameter const& parameter, models::Value const& value);

}  // namespace pimdse::dse::task
