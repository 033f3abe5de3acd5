#pragma once

#include "models/dram/trace_format.hpp"

#include <filesystem>

namespace pimdse::models {

/// Reads a request trace, one request a line; blank lines and lines from # on are skipped. Lines are in one format,
/// named or that of the first request. In formats with cycles requests stand in the order of their cycles, and the
/// stream is timed. Throws InputError with file and line.
[[nodiscard]] sim::dram::Stream read_dram_trace(std::filesystem::path const& file, TraceFormat format,
                                                sim::dram::Mapping const& mapping, int transaction_bytes);

}  // namespace pimdse::models
