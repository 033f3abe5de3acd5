#pragma once

#include "models/upmem/cost.hpp"
#include "models/upmem/timeline.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace pimdse::models::upmem {

/// What only a simulation counts; NaN unless simulated.
struct Counted {
    double instructions = 0.0, idle_dma = 0.0, idle_other = 0.0, back_pressure = 0.0, hazard_cycles = 0.0;
    void add(double times, Counted const& of_one);
};

/// What all launches of a plan cost.
struct Costs {
    std::vector<sim::Bounded> cycles;
    double issue_busy = 0.0, dma_busy = 0.0;
    Counted counted;
    sim::BoundKinds kinds = Bound::proved;
};

/// Everything that follows from one assumption about the cycles.
struct Case {
    Prepared const& p;
    Design const& d;
    Plan const& plan;
    Costs const& costs;
    Timeline const& t;    ///< of the streams
    Timeline const& one;  ///< of one stream
    double kernel_cycles = 0.0;
    double energy = 0.0;  ///< J

    [[nodiscard]] double moved() const { return (t.input + t.output).si; }              ///< s
    [[nodiscard]] double shorter() const { return std::min(t.input.si, t.kernel.si); }  ///< s
    [[nodiscard]] double dpus() const { return static_cast<double>(d.dpus); }
    [[nodiscard]] double sram() const;  ///< B
};

struct Report {
    Case low, value, high;
    bool is_reference = false;  ///< the design is one stream itself
};

/// The answers of this architecture, in declared order.
[[nodiscard]] MetricList metrics();

/// One estimate per metric.
[[nodiscard]] Metrics metrics_of(Report const& report);

}  // namespace pimdse::models::upmem
