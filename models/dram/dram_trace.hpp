#pragma once

#include "sim/dram/mapping.hpp"
#include "sim/dram/stream.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models {

/// How the lines of a request trace are written (docs/dram.md has an example of each).
enum class TraceFormat : std::uint8_t {
    automatic,              ///< what the first request is written in
    plain,                  ///< LD 0x40
    timed,                  ///< LD 0x40 120
    ramulator2_load_store,  ///< LD 0x40
    ramulator2_read_write,  ///< R 0,0,1,2,100,5
    ramulator,              ///< 0x40 R
    dramsim3                ///< 0x40 READ 120
};

/// Throws InputError with the known names.
[[nodiscard]] TraceFormat trace_format_named(std::string_view name);
/// All names, as --trace-format takes them.
[[nodiscard]] std::vector<std::string> trace_format_names();

/// One request of a trace.
struct TracedRequest {
    sim::dram::Transaction transaction;
    std::optional<sim::dram::Tick> arrival;  ///< where the format has one
};

/// Reads the words of a line, at least one. Throws InputError with what is wrong, without the place. `mapping` turns
/// the address vectors of ramulator2_read_write into addresses.
[[nodiscard]] TracedRequest read_request(TraceFormat format, std::vector<std::string> const& words,
                                         sim::dram::Mapping const& mapping);

/// Reads a request trace, one request a line; blank lines and lines from # on are skipped. Lines are in one format,
/// named or that of the first request. In formats with cycles requests stand in the order of their cycles, and the
/// stream is timed. Throws InputError with file and line.
[[nodiscard]] sim::dram::Stream read_dram_trace(std::filesystem::path const& file, TraceFormat format,
                                                sim::dram::Mapping const& mapping, int transaction_bytes);

}  // namespace pimdse::models
