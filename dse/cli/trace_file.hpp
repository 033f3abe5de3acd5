#pragma once

#include "models/contract/architecture.hpp"

#include <string>
#include <string_view>

namespace pimdse::dse::cli {

/// Chrome trace format: complete events in microseconds, one thread per unit in order of appearance. Throws
/// StorageError.
void write_trace(std::string const& path, models::Trace const& trace, std::string_view process);

}  // namespace pimdse::dse::cli
