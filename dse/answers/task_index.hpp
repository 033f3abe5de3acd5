#pragma once

#include "dse/answers/answer_columns.hpp"
#include "dse/answers/slot_table.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace pimdse::dse::answers {

/// Finds the row of a task. Rows that come in ascending order are runs that cost next to nothing; strays cost 5 to 11
/// bytes.
class TaskIndex {
  public:
    using Row = AnswerColumns::Row;

    [[nodiscard]] std::optional<Row> find(AnswerColumns const& columns, task::Task task) const;
    /// Takes in the next row of `columns`, whose task must be new.
    void add(AnswerColumns const& columns);
    [[nodiscard]] std::size_t rows() const { return rows_; }
    void prefetch(task::Task task) const;
    [[nodiscard]] std::size_t bytes() const;

  private:
    /// Consecutive rows with ascending tasks; the intervals from the first to the last task of two runs do not overlap.
    struct Run {
        Row first = 0;
        Row rows = 0;
    };
    using Runs = std::map<task::Task, Run>;

    [[nodiscard]] static task::Task last_of(AnswerColumns const& columns, Run const& run) {
        return columns.task(run.first + run.rows - 1);
    }
    [[nodiscard]] std::optional<Row> find_in(AnswerColumns const& columns, Run const& run, task::Task task) const;
    [[nodiscard]] bool prolongs(AnswerColumns const& columns, task::Task task) const;
    [[nodiscard]] bool may_begin_run(AnswerColumns const& columns, task::Task task) const;

    Runs runs_;
    SlotTable strays_;
    std::size_t rows_ = 0;
    task::Task greatest_{};
    std::optional<task::Task> latest_;  ///< where the run begins that ends with the last row, if there is one
    mutable Row expected_ = 0;          ///< who asks in ascending order asks for this row next
};

}  // namespace pimdse::dse::answers
