#pragma once

#include "sim/dram/simulate.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models {

/// A row of a table of reference runs: cells by column name.
struct ReferenceRow {
    std::map<std::string, std::string, std::less<>> cells;
    int line = 0;

    /// "" if the table does not have the column.
    [[nodiscard]] std::string const& cell(std::string_view column) const;
    [[nodiscard]] std::string const& case_id() const { return cell("case_id"); }
};

/// Reads a CSV table with the columns of the reference rows; other columns are allowed, and quoted cells may contain
/// commas. Throws InputError: a required column is missing, a row is too short (with its line).
[[nodiscard]] std::vector<ReferenceRow> read_reference_rows(std::filesystem::path const& file);

/// The simulation that a row describes. Refresh, scheduler and front end are read from their columns if the table has
/// them, else from the suffix of the second field of the case id (`_nr _pb _rh`) and from its first field (`r21k32`,
/// `r21w16`).
struct ReferenceCase {
    sim::dram::Standard standard;
    sim::dram::Mapping mapping;
    sim::dram::Stream stream;
    sim::dram::Options options;
};

/// Throws InputError with the case if a cell cannot be parsed.
[[nodiscard]] ReferenceCase reference_case(ReferenceRow const& row);

/// True for rows of Ramulator 2.1 (`r21...`); the rules of other simulators are not modelled.
[[nodiscard]] bool is_modelled(ReferenceRow const& row);

/// A counter of a row that differs from the reference.
struct Difference {
    std::string case_id, column, expected, got;
};

/// Result of comparing a row.
struct RowCheck {
    std::string timings, stream_kind;
    double relative_error = 0.0;  ///< of total cycles
    bool cycles_identical = false;
    bool counts_identical = false;        ///< hits, misses, conflicts
    std::vector<Difference> differences;  ///< one per counter that differs
    std::uint64_t requests = 0;
    double seconds = 0.0;  ///< simulation time
};

/// Simulates a row and compares cycles, hits, misses, conflicts, refreshes, CAS pairs and mean read latency (to the
/// printed digits), as far as the table has them.
[[nodiscard]] RowCheck check_row(ReferenceRow const& row, sim::dram::FastForward fast_forward);

/// True if a row satisfies an expression: conditions joined by ` and `, each `column=value`, `column!=value`,
/// `column~part`, `column<=number`, `column>=number`, or a word that must occur in the case id. Throws InputError for
/// an unknown column.
[[nodiscard]] bool selected(ReferenceRow const& row, std::string_view expression);

}  // namespace pimdse::models
