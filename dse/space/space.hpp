#pragma once

#include "dse/space/columns.hpp"
#include "dse/space/formula.hpp"
#include "dse/space/machine.hpp"
#include "dse/space/result.hpp"
#include "dse/space/search_settings.hpp"
#include "models/contract/cycle_key.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::dse::space {

/// A finite, numbered set of points of one or several machines, with its objectives, constraints and search settings.
/// The ids of a machine follow those of the machine before it. Immutable once a search has begun; shared by all
/// threads.
class Space {
  public:
    /// The contents of a space as its reader found them. Precondition: at least one machine and fewer than 2^64 points.
    struct Parts {
        std::vector<Machine> machines;
        std::vector<Objective> objectives;      ///< positions in metrics_of(machines) with the formulas
        std::vector<MetricFormula> formulas{};  ///< compiled for metrics_of(machines)
        SearchSettings search;
        std::string text;
        std::vector<std::pair<std::string, std::string>> notes;
        std::vector<std::string> remarks;
        std::vector<std::string> under{};
    };
    explicit Space(Parts parts);

    [[nodiscard]] std::vector<Machine> const& machines() const { return parts_.machines; }
    [[nodiscard]] std::vector<models::Architecture const*> architectures() const;
    /// The metrics of the space; those that every machine has come first, with the formulas after them
    /// (place_of_formulas).
    [[nodiscard]] models::MetricList const& metrics() const { return list_; }
    /// The metrics without formulas; common_metrics(): those of them that every machine has.
    [[nodiscard]] models::MetricList const& plain_metrics() const { return metrics_.list; }
    [[nodiscard]] models::MetricList common_metrics() const;
    [[nodiscard]] std::vector<MetricFormula> const& formulas() const { return parts_.formulas; }
    /// The formula behind a metric of the space; nullptr if the metric is not a formula.
    [[nodiscard]] MetricFormula const* formula_at(std::size_t metric) const;
    /// The position in metrics() of a metric of plain_metrics().
    [[nodiscard]] std::size_t place_of(std::size_t plain_metric) const;
    [[nodiscard]] std::vector<Objective> const& objectives() const { return parts_.objectives; }
    [[nodiscard]] SearchSettings const& search() const { return parts_.search; }
    /// The file as written, for provenance.
    [[nodiscard]] std::string const& text() const { return parts_.text; }
    /// JSON of everything that determines which points exist and what their results are: architecture, every axis,
    /// constraints and fixed inputs. Represents the space in the digest. Equal spaces have equal text.
    [[nodiscard]] std::string canonical_text() const;

    /// How the values of a parameter were reduced before any evaluation ("mapping", "5040 candidates, 912 distinct, 63
    /// legal"), if the architecture enumerates classes.
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> const& notes() const { return parts_.notes; }

    /// Sentences about settings in the file that are valid but may not be intended.
    [[nodiscard]] std::vector<std::string> const& remarks() const { return parts_.remarks; }

    /// Conditions on metrics ("peak_power <= 15 W"); the best machine is determined under each of them
    /// (dse/uncertain/flips). They exclude no point.
    [[nodiscard]] std::vector<std::string> const& under() const { return parts_.under; }

    /// Statements that hold for the shipped constants but are not known to hold for the user constants of a machine.
    [[nodiscard]] std::vector<std::string> not_known() const;

    /// The exact number of points, at most 2^64 - 1 (the reader refuses a larger space).
    [[nodiscard]] std::uint64_t size() const { return size_; }
    /// Number of points that a search may request: its budget, or all.
    [[nodiscard]] std::uint64_t budget() const {
        return search().budget == 0 ? size_ : std::min(search().budget, size_);
    }
    /// The index of the machine of the point with this id.
    [[nodiscard]] std::size_t machine_of(PointId id) const;
    /// The first id of a machine.
    [[nodiscard]] std::uint64_t first_of(std::size_t machine) const { return firsts_[machine]; }
    /// The point with this id; `into` has one value per parameter of its machine.
    void decode(PointId id, std::vector<models::Value>& into) const;
    [[nodiscard]] std::vector<models::Value> point(PointId id) const {
        std::vector<models::Value> values;
        decode(id, values);
        return values;
    }
    [[nodiscard]] std::size_t metrics_evaluated_by(std::size_t machine) const {
        return metrics_.places[machine].size();
    }
    /// Converts a machine's metrics into metrics of the space: metrics that the machine does not have are NaN, and
    /// formulas are computed.
    [[nodiscard]] models::Metrics placed(std::size_t machine, models::Metrics own) const;

    /// The data that a result file stores about this space, without parameters that scenarios set. Its `decode` refers
    /// to this space, which must outlive it.
    [[nodiscard]] Columns columns() const;

    /// The same space with other constants in its machines. Precondition: their parameters and the sizes of their axes
    /// are those of machines().
    [[nodiscard]] Space with_machines(std::vector<Machine> machines) const;

    /// Replaces the objectives and their formulas.
    void set_objectives(Objectives objectives);
    void set_search(SearchSettings search) { parts_.search = std::move(search); }

  private:
    [[nodiscard]] std::vector<MachineColumns> machine_columns() const;
    void list_metrics();
    Parts parts_;
    MachineMetrics metrics_;
    models::MetricList list_;
    std::size_t formulas_begin_ = 0;
    std::vector<std::uint64_t> firsts_;
    std::uint64_t size_ = 0;
};

/// The cycle key of a point; points with equal keys have equal results at cycle level. The key covers the machine, the
/// design as its simulator sees it in every scenario, and the parameters that conditions on metrics read. Where an
/// architecture defines no key, every point has a key of its own.
[[nodiscard]] models::CycleKey cycle_key(Space const& space, PointId id);

}  // namespace pimdse::dse::space
