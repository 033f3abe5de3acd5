#pragma once

#include "models/upmem/cost.hpp"
#include "models/upmem/ledger.hpp"
#include "models/upmem/timeline.hpp"

#include <algorithm>
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
    sim::Bounded issue_busy, dma_busy;
    Counted counted;
    sim::BoundKinds kinds = Bound::proved;

    /// What comes behind it: the sums, not the launches.
    Costs& operator+=(Costs const& next);
};

/// Everything that follows from one assumption about cycles and instructions.
struct Case {
    Timeline t;
    double kernel_cycles = 0.0;
    double energy = 0.0;  ///< J
    std::vector<Timeline> parts;
    double first = 0.0;  ///< s, until the first token; NaN if the design serves no request

    [[nodiscard]] double moved() const { return (t.input + t.output).si; }              ///< s
    [[nodiscard]] double shorter() const { return std::min(t.input.si, t.kernel.si); }  ///< s
};

/// The work as it is, or as one stream: until the results of all launches are merged, and until the last byte.
struct Spans {
    sim::Bounded merged, total;
};

struct Report {
    Prepared const& p;
    Design const& d;
    Plan const& plan;  ///< what it holds
    Costs const& costs;
    Case value, low, high;  ///< of all that grows with cycles and instructions
    double power_low = 0.0, power_high = 0.0;
    Spans one, streams;
    bool is_reference = false;  ///< the design is one stream itself

    [[nodiscard]] double tokens() const;  ///< NaN if the design serves no request
};

/// The answers of this architecture, in declared order.
[[nodiscard]] MetricList metrics();

/// One estimate per metric.
[[nodiscard]] Metrics metrics_of(Report const& report);

}  // namespace pimdse::models::upmem
