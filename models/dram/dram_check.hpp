#pragma once

#include "sim/dram/simulate.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models {

/// One row of a table of reference runs, by column name.
struct ReferenceRow {
    std::map<std::string, std::string, std::less<>> cells;
    int line = 0;

    /// "" for a column the table does not have.
    [[nodiscard]] std::string const& cell(std::string_view column) const;
    [[nodiscard]] std::string const& case_id() const { return cell("case_id"); }
};

/// Reads a CSV table with the columns of the reference rows (a superset is fine; quoted cells may hold commas). Throws
/// InputError: a needed column is missing, a row is short (with its line).
[[nodiscard]] std::vector<ReferenceRow> read_reference_rows(std::filesystem::path const& file);

/// What a row asks for. Refresh, scheduler and front end come from their columns where the table has them, else from
/// the suffix of the second field of the case id (`_nr _pb _rh`) and the first (`r21k32`, `r21w16`).
struct ReferenceCase {
    sim::dram::Standard standard;
    sim::dram::Mapping mapping;
    sim::dram::Stream stream;
    sim::dram::Options options;
};

/// Throws InputError naming the case where it cannot be understood.
[[nodiscard]] ReferenceCase reference_case(ReferenceRow const& row);

/// False for rows of simulators whose rules are not modelled (any but `r21...`).
[[nodiscard]] bool is_modelled(ReferenceRow const& row);

/// A counter of a row that came out differently.
struct Difference {
    std::string case_id, column, expected, got;
};

/// How one row came out.
struct RowCheck {
    std::string timings, stream_kind;
    double relative_error = 0.0;  ///< of total cycles
    bool cycles_identical = false;
    bool counts_identical = false;        ///< hits, misses, conflicts
    std::vector<Difference> differences;  ///< every compared counter
    std::uint64_t requests = 0;
    double seconds = 0.0;  ///< of the simulation alone
};

/// Runs a row and compares cycles, hits, misses, conflicts, refreshes, CAS pairs and mean read latency (to the digits
/// printed), as far as the table has them.
[[nodiscard]] RowCheck check_row(ReferenceRow const& row, sim::dram::FastForward fast_forward);

/// Does a row fit an expression: conditions joined by ` and `, each `column=value`, `column!=value`, `column~part`,
/// `column<=number`, `column>=number`, or a bare word that must occur in the case id. Throws InputError for an unknown
/// column.
[[nodiscard]] bool selected(ReferenceRow const& row, std::string_view expression);

}  // namespace pimdse::models
