#pragma once

#include "dse/cli/text_table.hpp"
#include "dse/search/result_store.hpp"
#include "dse/space/columns.hpp"
#include "dse/space/expression.hpp"
#include "dse/space/limit_crossings.hpp"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pimdse::dse::cli {

/// A design, and what it answers.
struct EvaluatedDesign {
    space::PointId point{};
    models::Metrics metrics;
};

/// The scenarios of a run in order; none where points are asked as they are.
[[nodiscard]] std::vector<std::string> scenarios_of(space::Columns const& columns);

/// The metrics of a run without those of single scenarios, of those named; "ttft@chat" names ttft. Throws InputError
/// for a name that is not known in every scenario.
[[nodiscard]] std::vector<std::string> scenario_metrics(space::Columns const& columns,
                                                        std::vector<std::string> const& names);

/// A row per scenario, a column per metric and design: a figure of a paper as numbers. `readable`: in multiples of
/// units, else in SI.
[[nodiscard]] TextTable scenario_table(space::Columns const& columns, std::span<EvaluatedDesign const> designs,
                                       std::vector<std::string> const& metrics, bool readable);

/// Which front is asked for.
struct FrontQuestion {
    std::vector<space::Objective> objectives;
    space::Expression const* where = nullptr;                     ///< only points that meet it
    std::optional<models::Fidelity> fidelity{};                   ///< the finest, unless it is said
    std::optional<std::pair<std::size_t, models::Value>> with{};  ///< only points with this value of a parameter
};

/// The front of a run or of a result file for people (best of the first objective first; only parameters that vary,
/// readable units) and for programs (SI values).
class FrontTable {
  public:
    FrontTable(space::Columns const& columns, search::ResultStore const& store,
               std::vector<space::Objective> objectives, std::vector<search::ResultStore::Row> rows,
               models::Fidelity fidelity)
        : columns_(columns),
          store_(store),
          objectives_(std::move(objectives)),
          rows_(std::move(rows)),
          fidelity_(fidelity) {}
    [[nodiscard]] std::size_t size() const { return rows_.size(); }
    [[nodiscard]] std::vector<space::Task> tasks() const;
    using Crossings = std::vector<space::LimitCrossings::Crossing>;
    /// Of each row which limits it meets by its estimates only.
    void add_crossings(std::vector<Crossings> crossings) { crossings_ = std::move(crossings); }
    /// All metrics of the tasks, where the store has the objectives only.
    void add_metrics(std::vector<models::Metrics> metrics) { metrics_ = std::move(metrics); }
    /// The designs on it, as far as metrics are there.
    [[nodiscard]] std::vector<EvaluatedDesign> designs() const;
    /// Parameters that differ on the front or in a sample of all rows.
    [[nodiscard]] std::vector<std::size_t> varying() const;
    /// What tells a design apart by these: names of columns, and the cells of a row of the store.
    [[nodiscard]] std::vector<std::string> design_head(std::vector<std::size_t> const& varying) const;
    [[nodiscard]] std::vector<std::string> design_cells(search::ResultStore::Row row,
                                                        std::vector<std::size_t> const& varying,
                                                        bool readable = true) const;
    /// With its objectives and fidelity above it, and below it what marks behind points mean. At most `most` rows (0:
    /// all); says how many are left out.
    [[nodiscard]] std::string text(std::size_t max = 0) const;
    [[nodiscard]] std::vector<std::string> csv_head() const;
    [[nodiscard]] std::vector<std::vector<std::string>> csv_rows() const;
    [[nodiscard]] std::string csv() const;
    [[nodiscard]] nlohmann::ordered_json json() const;

  private:
    [[nodiscard]] std::string title() const;
    /// Of the first rows, each once: "meets power <= 10 W by its estimate, not by its upper bound".
    [[nodiscard]] std::vector<std::string> remarks(std::size_t shown) const;
    [[nodiscard]] std::string marks(std::size_t i, std::vector<std::string> const& remarks) const;
    [[nodiscard]] nlohmann::ordered_json entry_json(std::size_t i) const;
    [[nodiscard]] std::string cell(search::ResultStore::Row row, std::size_t parameter, models::Value const& value,
                                   bool readable = false) const;
    [[nodiscard]] std::vector<models::Value> point(search::ResultStore::Row row) const;
    /// Of the i-th row.
    [[nodiscard]] models::Metrics metrics(std::size_t i) const;
    space::Columns const& columns_;
    search::ResultStore const& store_;
    std::vector<space::Objective> objectives_;
    std::vector<search::ResultStore::Row> rows_;
    models::Fidelity fidelity_;
    std::vector<Crossings> crossings_;      ///< of the rows; empty: of none
    std::vector<models::Metrics> metrics_;  ///< of the rows; empty: the store has them
};

/// The feasible answers that the front is of, on it or not.
[[nodiscard]] std::vector<search::ResultStore::Row> rows_of(space::Columns const& columns,
                                                            search::ResultStore const& store,
                                                            FrontQuestion const& question);

/// Columns and store must live as long.
[[nodiscard]] FrontTable make_front(space::Columns const& columns, search::ResultStore const& store,
                                    FrontQuestion const& question);

}  // namespace pimdse::dse::cli
