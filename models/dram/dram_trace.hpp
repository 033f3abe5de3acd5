#pragma once

#include "sim/dram/stream.hpp"

#include <filesystem>

namespace pimdse::models {

/// Reads a request trace: one `LD address` or `ST address` a line (address decimal or 0x...; `R`/`W` also accepted;
/// blank lines and lines from # on are skipped). Throws InputError with file and line for any other.
[[nodiscard]] sim::dram::Stream read_dram_trace(std::filesystem::path const& file, int transaction_bytes);

}  // namespace pimdse::models
