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

/// A metric that two files give differently for the same task, or bound differently; `metric` is npos where the
/// statuses differ, or the rules that the point breaks.
struct Difference {
    static constexpr std::size_t status_differs = static_cast<std::size_t>(-1);
    space::Task task;
    std::size_t metric = status_differs;
    double left = 0.0, right = 0.0;
    std::string left_text, right_text;  ///< where the numbers do not say it
};

struct Comparison {
    std::vector<space::PointId> gained, lost;        ///< on the front of the right, of the left only
    std::vector<space::Task> only_left, only_right;  ///< answered in one file only
    std::vector<Difference> differences;
    std::vector<std::string> conditions;  ///< constraints that one of the spaces has and the other has not
    std::vector<std::string> columns;  ///< what the files say differently of their columns and parameters, in sentences
    std::optional<std::string> input;  ///< a file that had changed between the two; says nothing of the answers
    [[nodiscard]] bool equal() const {
        return gained.empty() && lost.empty() && only_left.empty() && only_right.empty() && differences.empty() &&
               columns.empty() && conditions.empty();
    }
};
/// Compares what two files of one space say; their constraints may differ. `relative` = 0 compares bits; otherwise
/// |left - right| <= relative * |left| passes, of values and bounds, and so does another reason by the same rule.
[[nodiscard]] Comparison compare(ResultFile const& left, ResultFile const& right, double relative = 0.0);

/// Throws InputError where two files are not about the same points and metrics.
void check_same_space(ResultFile const& a, ResultFile const& b);

/// What two tables say differently of the columns they share and which they do not share, a sentence each. Choices are
/// not compared: files of one space may know different ones. The names are those of the tables, for the sentences.
[[nodiscard]] std::vector<std::string> differing_definitions(space::Columns const& left, std::string_view left_name,
                                                             space::Columns const& right, std::string_view right_name);

/// Parameters that two files give differently to the same task: a sentence for each parameter, with the first such
/// point.
[[nodiscard]] std::vector<std::string> differing_values(ResultFile const& left, ResultFile const& right);

[[nodiscard]] inline bool same_bits(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// Whether two files may give these numbers for one: 0 compares bits. Every number is within a share of an infinite
/// one, and only that one is meant.
[[nodiscard]] inline bool agree(double left, double right, double relative) {
    if (relative == 0.0 || !std::isfinite(left)) return same_bits(left, right);
    return std::abs(left - right) <= relative * std::abs(left);
}

}  // namespace pimdse::dse::store
