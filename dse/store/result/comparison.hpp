#pragma once

#include "dse/store/result/result_file.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::store::result {

/// A metric that two files give differently for the same task, or bound differently; `metric` is npos where the
/// statuses differ, or the rules that the point breaks.
struct Difference {
    static constexpr std::size_t status_differs = static_cast<std::size_t>(-1);
    task::Task task;
    std::size_t metric = status_differs;
    double left = 0.0, right = 0.0;
    std::string left_text, right_text;  ///< where the numbers do not say it
};

struct Comparison {
    std::vector<task::PointId> gained, lost;        ///< on the front of the right, of the left only
    std::vector<task::Task> only_left, only_right;  ///< answered in one file only
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

}  // namespace pimdse::dse::store::result
