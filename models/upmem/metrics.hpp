#pragma once

#include "models/contract/metric.hpp"
#include "models/economy/economy.hpp"
#include "models/upmem/costed_plan.hpp"

#include <algorithm>
#include <span>
#include <string>

namespace pimdse::models::upmem {

/// Everything that follows from one assumption about cycles and instructions.
struct Case {
    Timeline t;
    double kernel_cycles = 0.0;
    double energy = 0.0;         ///< J
    double package_power = 0.0;  ///< W, fullest chip while its DPUs run

    [[nodiscard]] double moved() const { return (t.input + t.output).si; }              ///< s
    [[nodiscard]] double shorter() const { return std::min(t.input.si, t.kernel.si); }  ///< s
};

/// Power [W]: over all of the time, and of the fullest chip.
struct Draw {
    double mean = 0.0, package = 0.0;
};

/// The work as configured, or as one stream: until the results of all launches are merged, and until the last byte.
struct Spans {
    sim::Bounded merged, total;
};

struct Report {
    Prepared const& p;
    Design const& d;
    Plan const& plan;  ///< the plan whose memory is reported
    Costs const& costs;
    Case value, lower, upper;  ///< everything that increases with cycles and instructions
    Draw draw_lower, draw_upper;
    Spans one, streams;
    bool is_reference = true;  ///< whether the design itself is one stream
};

/// The metrics of this architecture, and those that are not common, which requests have as well.
[[nodiscard]] MetricList metrics();
[[nodiscard]] MetricList own_metrics();

/// Of a kernel, or the matrices of a model.
[[nodiscard]] RequestResult kernel_result(Report const& report, economy::Economy const& economy);

/// The work of a request, by Amount: as a case at an end of its interval (0: the value; 1, 2: lower and upper end),
/// without energy; the values of those metrics; the power of a chip while its DPUs run.
using RequestAmounts = std::span<double const, Amount::size>;
[[nodiscard]] Case case_of(Design const& design, RequestAmounts amounts, std::size_t end = 0);
[[nodiscard]] Metrics metrics_of(Prepared const& prepared, Design const& design, RequestAmounts amounts);
[[nodiscard]] Estimate package_power(Prepared const& prepared, Design const& design, RequestAmounts amounts);

/// Activity of the busiest DPU: all cycles, cycles in which it issues, cycles in which its MRAM is busy; B of MRAM.
struct BusyDpu {
    double all = 0.0, issuing = 0.0, transferring = 0.0, bytes = 0.0;
};

/// The resource that takes most of the time of a phase. If DPUs compute for most of it: their pipelines in instructions
/// per second or their MRAM in bytes per second, whichever is busier. Otherwise the host link, the launches or the
/// host, as a share of the time. Precondition: the phase takes time.
[[nodiscard]] PhaseLimit limit_of(Design const& design, std::string phase, Timeline const& timeline,
                                  BusyDpu const& busy);

/// The parts of the makespan of a phase and what follows it; they sum to its time.
void append_times(std::vector<Share>& shares, std::string const& phase, Timeline const& timeline);

}  // namespace pimdse::models::upmem
