#pragma once

#include "dse/space/columns.hpp"
#include "dse/space/formula.hpp"
#include "dse/space/machine.hpp"
#include "dse/space/result.hpp"
#include "dse/space/search_settings.hpp"
#include "models/contract/architecture.hpp"
#include "models/contract/cycle_key.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::dse::space {

/// What is looked for: metrics of a space, formulas among them.
struct Objectives {
    std::vector<Objective> list;          ///< of the space's metrics with these formulas
    std::vector<MetricFormula> formulas;  ///< of the metrics without any
    std::vector<std::string> read{};      ///< metrics that are objectives or read by formulas
};

/// A finite, numbered set of points of one machine or of several, with what is asked of it: the ids of a machine follow
/// those of the one before. Immutable; shared by all threads.
class Space {
  public:
    /// What a space is made of, each as its reader found it. There is a machine, and fewer than 2^64 points.
    struct Parts {
        std::vector<Machine> machines;
        std::vector<Objective> objectives;      ///< of metrics_of(machines) with the formulas
        std::vector<MetricFormula> formulas{};  ///< of metrics_of(machines)
        SearchSettings search;
        std::string text;
        std::vector<std::pair<std::string, std::string>> notes;
        std::vector<std::string> remarks;
        std::vector<std::string> under{};
    };
    explicit Space(Parts parts);

    [[nodiscard]] std::vector<Machine> const& machines() const { return parts_.machines; }
    [[nodiscard]] std::vector<models::Architecture const*> architectures() const;
    /// Metrics that every machine has come first, formulas among them (place_of_formulas).
    [[nodiscard]] models::MetricList const& metrics() const { return list_; }
    /// Those of the machines only, and of these the ones that every machine has.
    [[nodiscard]] models::MetricList const& plain_metrics() const { return metrics_.list; }
    [[nodiscard]] models::MetricList common_metrics() const;
    [[nodiscard]] std::vector<MetricFormula> const& formulas() const { return parts_.formulas; }
    /// The formula that a metric of the space is; nullptr: it is one of the machines.
    [[nodiscard]] MetricFormula const* formula_at(std::size_t metric) const;
    /// Where a metric of the machines is among those of the space.
    [[nodiscard]] std::size_t place_of(std::size_t plain_metric) const;
    [[nodiscard]] std::vector<Objective> const& objectives() const { return parts_.objectives; }
    [[nodiscard]] SearchSettings const& search() const { return parts_.search; }
    /// The file as written, for provenance.
    [[nodiscard]] std::string const& text() const { return parts_.text; }
    /// JSON of everything that decides which points exist and what they answer: architecture, every axis, constraints
    /// and fixed inputs; the part of the digest that stands for the space. Equal spaces have equal text.
    [[nodiscard]] std::string canonical_text() const;

    /// What became of the values a parameter could take before any was evaluated ("mapping", "5040 candidates, 912
    /// distinct, 63 legal"), where the architecture enumerates classes.
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> const& notes() const { return parts_.notes; }

    /// A sentence for what is no mistake and perhaps not meant, of the file it was read from.
    [[nodiscard]] std::vector<std::string> const& remarks() const { return parts_.remarks; }

    /// Conditions on metrics ("peak_power <= 15 W") under each of which the best machine is asked for (dse/flips); they
    /// exclude no point.
    [[nodiscard]] std::vector<std::string> const& under() const { return parts_.under; }

    /// What a search could rely on with the shipped constants and cannot with those of a machine of this space.
    [[nodiscard]] std::vector<std::string> not_known() const;

    /// Number of points, exact. At most 2^64 - 1 (a larger space is refused when loaded).
    [[nodiscard]] std::uint64_t size() const { return size_; }
    /// The position of the machine that the point with this id is of.
    [[nodiscard]] std::size_t machine_of(PointId id) const;
    /// The first id of a machine.
    [[nodiscard]] std::uint64_t first_of(std::size_t machine) const { return firsts_[machine]; }
    /// The point with this id; `into` has one value per parameter of its machine.
    void decode(PointId id, std::vector<models::Value>& into) const;
    [[nodiscard]] std::size_t metrics_evaluated_by(std::size_t machine) const {
        return metrics_.places[machine].size();
    }
    /// The answer of a machine as one of the space: metrics it does not have are NaN, and formulas follow from the
    /// others.
    [[nodiscard]] models::Metrics placed(std::size_t machine, models::Metrics own) const;

    /// What a result file of this space must know, parameters that scenarios decide left out; `decode` refers to this
    /// space, which must outlive it.
    [[nodiscard]] Columns columns() const;

    /// Formulas are those of the objectives.
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

/// Points of the space with equal keys have equal answers at cycle level: of one machine, asked the same in every
/// scenario as far as its simulator can tell, and alike in what conditions on metrics read of a point. Where an
/// architecture has no keys, that of a point is its own.
[[nodiscard]] models::CycleKey cycle_key(Space const& space, PointId id);

}  // namespace pimdse::dse::space
