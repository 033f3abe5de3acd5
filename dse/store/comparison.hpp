#pragma once

#include "dse/store/result_file.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::store {

/// A metric whose value or bounds differ between two files for the same task. `metric` is status_differs if instead
/// the statuses differ, or the violated rules.
struct Difference {
    static constexpr std::size_t status_differs = static_cast<std::size_t>(-1);
    space::Task task;
    std::size_t metric = status_differs;
    double left = 0.0, right = 0.0;
    std::string left_text, right_text;  ///< statuses or bounds, if the difference is not in the values
};

struct Comparison {
    std::vector<space::PointId> gained, lost;  ///< points that are on the right front only, on the left front only
    std::vector<space::Task> only_left, only_right;  ///< tasks with a result in one file only
    std::vector<Difference> differences;
    std::vector<std::string> conditions;  ///< constraints that only one of the spaces has, one sentence each
    std::vector<std::string> columns;     ///< differing definitions of columns or parameter values, one sentence each
    std::optional<std::string> input;     ///< an input file that changed between the two; the results may be equal
    [[nodiscard]] bool equal() const {
        return gained.empty() && lost.empty() && only_left.empty() && only_right.empty() && differences.empty() &&
               columns.empty() && conditions.empty();
    }
};
/// Compares two files of one space; their constraints may differ. `relative` = 0 compares bits. Otherwise values and
/// bounds count as equal if |left - right| <= relative * |left|, and reasons as equal if the violated rule is the same.
[[nodiscard]] Comparison compare(ResultFile const& left, ResultFile const& right, double relative = 0.0);

/// Throws InputError if two files do not describe the same points and metrics.
void check_same_space(ResultFile const& a, ResultFile const& b);

/// The columns that only one of two tables has, and the differing definitions of those that both have, one sentence
/// each. Choices are not compared, because files of one space may have different ones. The sentences use the two names
/// for the tables.
[[nodiscard]] std::vector<std::string> differing_definitions(space::Columns const& left, std::string_view left_name,
                                                             space::Columns const& right, std::string_view right_name);

/// The parameters whose values differ between two files for the same task: one sentence per parameter, with the first
/// such point.
[[nodiscard]] std::vector<std::string> differing_values(ResultFile const& left, ResultFile const& right);

[[nodiscard]] inline bool same_bits(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// Whether two numbers agree within `relative`; 0 compares bits. Numbers that are not finite are compared by bits, too,
/// because every number is within a share of infinity.
[[nodiscard]] inline bool agree(double left, double right, double relative) {
    if (relative == 0.0 || !std::isfinite(left)) return same_bits(left, right);
    return std::abs(left - right) <= relative * std::abs(left);
}

/// Recomputes the digest, the front and its history, and the counts of rules and blocks of a file. Returns one sentence
/// per mismatch; empty if the file is consistent.
[[nodiscard]] std::vector<std::string> check_consistency(ResultFile const& file);

/// `count` rows of the file to evaluate again, chosen by a hash of (seed, counter); all rows if there are fewer.
[[nodiscard]] std::vector<search::Row> sample_rows(ResultFile const& file, std::size_t count, std::uint64_t seed);

}  // namespace pimdse::dse::store
