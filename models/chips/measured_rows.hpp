#pragma once

#include "models/chips/links.hpp"

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace pimdse::models::chips {

/// A measured collective.
struct MeasuredRow {
    int line = 0;  ///< of its table
    Collective collective = Collective::all_reduce;
    std::size_t link = 0;      ///< index into link_names
    std::int64_t devices = 1;  ///< of a node
    std::int64_t nodes = 1;
    std::size_t between = 0;  ///< of several nodes: the link that joins them, an index into link_names
    double bytes = 0.0;
    double seconds = 0.0;
};

/// Reads a table of measured collectives; tests/data/collectives.md describes its columns. `file` is its name in
/// messages. Throws InputError with the line.
[[nodiscard]] std::vector<MeasuredRow> read_measured_rows(std::istream& csv, std::string const& file);

/// Time of a row in closed form with the call of a host, in seconds.
[[nodiscard]] double seconds_of(MeasuredRow const& row);

}  // namespace pimdse::models::chips
