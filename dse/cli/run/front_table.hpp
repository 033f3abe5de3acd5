#pragma once

#include "dse/answers/result_store.hpp"
#include "dse/cli/run/scenario_table.hpp"
#include "dse/space/expression.hpp"
#include "dse/task/columns.hpp"

#include <string>
#include <vector>

namespace pimdse::dse::cli::run {

/// The front of a run or of a result file for people (best of the first objective first; only parameters that vary,
/// readable units) and for programs (SI values).
class FrontTable {
  public:
    FrontTable(task::Columns const& columns, answers::ResultStore const& store, std::vector<task::Objective> objectives,
               std::vector<answers::ResultStore::Row> rows)
        : columns_(columns), store_(store), objectives_(std::move(objectives)), rows_(std::move(rows)) {}
    [[nodiscard]] std::size_t size() const { return rows_.size(); }
    [[nodiscard]] std::vector<task::Task> tasks() const;
    /// All metrics of the tasks, where the store has the objectives only.
    void add_metrics(std::vector<models::Metrics> metrics) { metrics_ = std::move(metrics); }
    /// The designs on it, as far as metrics are there.
    [[nodiscard]] std::vector<AnsweredDesign> designs() const;
    /// Parameters that differ on the front or in a sample of all rows.
    [[nodiscard]] std::vector<std::size_t> varying() const;
    /// What tells a design apart by these: names of columns, and the cells of a row of the store.
    [[nodiscard]] std::vector<std::string> design_head(std::vector<std::size_t> const& varying) const;
    [[nodiscard]] std::vector<std::string> design_cells(answers::ResultStore::Row row,
                                                        std::vector<std::size_t> const& varying) const;
    /// At most `most` rows (0: all); says how many are left out.
    [[nodiscard]] std::string text(std::size_t most = 0) const;
    [[nodiscard]] std::string csv() const;
    [[nodiscard]] std::string json() const;

  private:
    [[nodiscard]] std::string cell(answers::ResultStore::Row row, std::size_t parameter,
                                   models::Value const& value) const;
    [[nodiscard]] std::vector<models::Value> point(answers::ResultStore::Row row) const;
    /// Of the i-th row.
    [[nodiscard]] models::Metrics metrics(std::size_t i) const;
    task::Columns const& columns_;
    answers::ResultStore const& store_;
    std::vector<task::Objective> objectives_;
    std::vector<answers::ResultStore::Row> rows_;
    std::vector<models::Metrics> metrics_;  ///< of the rows; empty: the store has them
};

/// The front over the finest fidelity; with `where`, over the points that meet it. Columns and store must live as long.
[[nodiscard]] FrontTable make_front(task::Columns const& columns, answers::ResultStore const& store,
                                    std::vector<task::Objective> const& objectives,
                                    space::Expression const* where = nullptr);

}  // namespace pimdse::dse::cli::run
