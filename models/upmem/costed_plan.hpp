#pragma once

#include "models/text/part.hpp"
#include "models/upmem/cost.hpp"
#include "models/upmem/ledger.hpp"
#include "models/upmem/shared_bank.hpp"
#include "models/upmem/timeline.hpp"
#include "sim/base/memo.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

/// What a plan takes: the launches on a DPU, their time line, and the energy.
namespace pimdse::models::upmem {

/// An end of an interval, or its value.
using End = double sim::Bounded::*;

/// Of the energy of so many seconds, what is beyond that of all DPUs as they wait and of a host that is included.
[[nodiscard]] EnergyByRow beyond_rest(Prepared const& prepared, Standby const& rest, EnergyByRow joules,
                                      double seconds);

/// Costs of launches on one DPU. Equal ones are costed once: the streams of a problem have at most two sizes, and
/// passes of a model share their matrices. Thread-safe.
struct LaunchCosts {
    Prepared const& p;
    Design const& d;
    Fidelity fidelity;
    sim::Memo<Task, LaunchCost> known{};
    DpuPowers powers = powers_of(p.machine, d);
    [[nodiscard]] LaunchCost const& of(Task const& task) const;
};

/// Counts that only a simulation provides; NaN unless simulated.
struct Counted {
    double instructions = 0.0, idle_dma = 0.0, idle_other = 0.0, back_pressure = 0.0, hazard_cycles = 0.0;
};

/// The cost of all launches of a plan.
struct Costs {
    std::vector<sim::Bounded> cycles, busy;  ///< of every launch: all, and those in which the MRAM is busy
    sim::Bounded issue_busy, dma_busy;
    Counted counted;
    sim::BoundKinds kinds = Bound::proved;

    /// Adds `times` times the sums of a launch or of a following part, not its launches.
    void add(double times, Costs const& more);
    [[nodiscard]] bool is_exact() const;
};

/// text::PartCost::amounts of launches that do not overlap: s; B and rows of the MRAM of the busiest
/// DPU; the counts of Counted; and of that DPU all cycles, those in which it issues, and those in which its MRAM is
/// busy, each as value, lower and upper end.
struct Amount {
    enum Index : std::size_t {
        input,
        output,
        launch,
        offload,
        host,
        mram_bytes,
        mram_rows,
        counts,
        all_cycles = counts + 5,
        issue_cycles = all_cycles + 3,
        dma_cycles = issue_cycles + 3,
        size = dma_cycles + 3
    };
};

/// A plan whose launches are costed; what it is made of lives longer. Figures that increase with cycles and
/// instructions have their minimum at the lower bounds and their maximum at the upper bounds.
class CostedPlan {
  public:
    CostedPlan(LaunchCosts const& known, Plan const& plan);

    [[nodiscard]] Plan const& plan() const { return plan_; }
    [[nodiscard]] Costs const& costs() const { return costs_; }
    [[nodiscard]] Timeline timeline(End end) const;
    [[nodiscard]] EnergyByRow energy(Timeline const& t, End end) const;
    /// Cycles of all launches.
    [[nodiscard]] double cycles(End end) const;
    /// Power [W] of a running DPU: work of one end in the time of another.
    [[nodiscard]] double running_power(End work, End time, SharedBankCost const& shared) const;
    /// What sharing the bank adds in this time; and at one end, where intervals are known.
    [[nodiscard]] SharedBankCost shared_cost(Timeline const& t) const;
    [[nodiscard]] SharedBankCost shared_cost(End end) const;
    /// The time line with what sharing costs at this end.
    [[nodiscard]] Timeline with_sharing(Timeline t, End end) const;
    /// Of launches that do not overlap; joules without a host that is included. Precondition: the plan is not
    /// pipelined.
    [[nodiscard]] text::PartCost sums() const;

  private:
    [[nodiscard]] Timeline bound_of_sharing(End end) const;

    Prepared const& p_;
    Design const& d_;
    DpuPowers const& powers_;
    Plan const& plan_;
    Costs costs_;
    LinkTimes link_;
    std::optional<SharingRange> sharing_;  ///< lock fine, unless all costs are exact
};

}  // namespace pimdse::models::upmem
