#pragma once

#include "dse/cli/text_table.hpp"
#include "dse/search/result_store.hpp"
#include "dse/space/columns.hpp"
#include "dse/space/limit_crossings.hpp"
#include "models/expression/expression.hpp"
#include "sim/base/json.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pimdse::dse::cli {

/// A design with its metrics.
struct EvaluatedDesign {
    space::PointId point{};
    models::Metrics metrics;
};

/// The scenarios of a run in order; empty for a run without scenarios.
[[nodiscard]] std::vector<std::string> scenarios_of(space::Columns const& columns);

/// The metrics with this name in the scenarios, in the order of scenarios.
[[nodiscard]] std::vector<std::size_t> in_scenarios(space::Columns const& columns, std::string_view metric);

/// The named metrics without their scenarios, each once: "ttft@chat" gives ttft. Throws InputError for a metric that is
/// not known in every scenario.
[[nodiscard]] std::vector<std::string> scenario_metrics(space::Columns const& columns,
                                                        std::vector<std::string> const& names);

/// A table with a row per scenario and a column per metric and design. `readable`: with unit prefixes, else in SI.
[[nodiscard]] TextTable scenario_table(space::Columns const& columns, std::span<EvaluatedDesign const> designs,
                                       std::vector<std::string> const& metrics, bool readable);

/// The parameters that apply to the machine of a point, by name; quantities in SI.
[[nodiscard]] sim::Json parameters_json(space::Columns const& columns, space::PointId point);

/// The selection of a front.
struct FrontQuery {
    std::vector<space::Objective> objectives;
    models::Expression const* where = nullptr;                    ///< only points that meet this condition
    std::optional<models::Fidelity> fidelity{};                   ///< the finest if unset
    std::optional<std::pair<std::size_t, models::Value>> with{};  ///< only points with this value of a parameter
};

/// The front of a run or of a result file, as text (sorted by the first objective, best first; only parameters that
/// vary; readable units) and as csv and JSON (SI values).
class FrontTable {
  public:
    FrontTable(space::Columns const& columns, search::ResultStore const& store,
               std::vector<space::Objective> objectives, std::vector<search::Row> rows, models::Fidelity fidelity)
        : columns_(columns),
          store_(store),
          objectives_(std::move(objectives)),
          rows_(std::move(rows)),
          fidelity_(fidelity) {}
    [[nodiscard]] std::size_t size() const { return rows_.size(); }
    [[nodiscard]] std::vector<search::Row> const& rows() const { return rows_; }
    /// Keeps only the rows at these positions.
    void keep(std::vector<std::size_t> const& positions);
    /// The points of the front at its fidelity.
    [[nodiscard]] std::vector<space::Task> tasks() const;
    using Crossings = std::vector<space::LimitCrossings::Crossing>;
    /// For each row, the limits that it meets by its estimates only, not by its bounds.
    void add_crossings(std::vector<Crossings> crossings) { crossings_ = std::move(crossings); }
    /// All metrics of the rows, if the store has only the objectives.
    void add_metrics(std::vector<models::Metrics> metrics) { metrics_ = std::move(metrics); }
    /// The designs on the front, with the metrics that are known.
    [[nodiscard]] std::vector<EvaluatedDesign> designs() const;
    /// Parameters that differ on the front or among all rows (or a random sample, if they are many).
    [[nodiscard]] std::vector<std::size_t> varying() const;
    /// The columns that identify a design by these parameters: their headings, and the cells of a row of the store.
    [[nodiscard]] std::vector<std::string> design_head(std::vector<std::size_t> const& varying) const;
    [[nodiscard]] std::vector<std::string> design_cells(search::Row row, std::vector<std::size_t> const& varying,
                                                        bool readable = true) const;
    /// A table with objectives and fidelity above. Rows with remarks (a limit met by the estimate only) have a mark,
    /// whose meaning is printed below. At most `max` rows (0: all); the last line counts the rows left out.
    [[nodiscard]] std::string text(std::size_t max = 0, bool with_footing = true) const;
    /// What is said once of several fronts of a file: which objectives rest on assumed constants, and machines whose
    /// energy is partial.
    [[nodiscard]] std::string footing() const;
    [[nodiscard]] std::vector<std::string> csv_head() const;
    [[nodiscard]] std::vector<std::vector<std::string>> csv_rows() const;
    [[nodiscard]] std::string csv() const;
    [[nodiscard]] sim::Json json() const;

  private:
    [[nodiscard]] std::string title() const;
    /// The remarks on the first `shown` rows, each once: "meets power <= 10 W by its estimate, not by its upper bound".
    [[nodiscard]] std::vector<std::string> remarks(std::size_t shown) const;
    [[nodiscard]] std::string marks(std::size_t i, std::vector<std::string> const& remarks) const;
    /// A sentence per scenario in which some of the first `shown` rows are saturated; "" if none is, or if the store
    /// does not have that metric.
    [[nodiscard]] std::string warnings(std::size_t shown) const;
    [[nodiscard]] sim::Json entry_json(std::size_t i) const;
    [[nodiscard]] std::string cell(search::Row row, std::size_t parameter, models::Value const& value,
                                   bool readable = false) const;
    [[nodiscard]] std::vector<models::Value> point(search::Row row) const;
    /// The metrics of the i-th row.
    [[nodiscard]] models::Metrics metrics(std::size_t i) const;
    space::Columns const& columns_;
    search::ResultStore const& store_;
    std::vector<space::Objective> objectives_;
    std::vector<search::Row> rows_;
    models::Fidelity fidelity_;
    std::vector<Crossings> crossings_;      ///< per row; empty: none
    std::vector<models::Metrics> metrics_;  ///< per row; empty: the store has them
};

/// The metrics that say whether a machine is saturated by its traffic, and how many requests it rejects, of each
/// scenario.
[[nodiscard]] std::vector<std::size_t> warning_metrics(space::Columns const& columns);

/// The feasible results among which the front is selected.
[[nodiscard]] std::vector<search::Row> rows_of(space::Columns const& columns, search::ResultStore const& store,
                                               FrontQuery const& query);

/// Columns and store must outlive the table.
[[nodiscard]] FrontTable make_front(space::Columns const& columns, search::ResultStore const& store,
                                    FrontQuery const& query);
/// The same for one of several queries with the condition of `limits`.
[[nodiscard]] FrontTable make_front(space::Columns const& columns, search::ResultStore const& store,
                                    FrontQuery const& query, space::LimitCrossings const& limits);

}  // namespace pimdse::dse::cli
