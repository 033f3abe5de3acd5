#pragma once

#include "models/contract/metric.hpp"
#include "models/economy/economy.hpp"
#include "models/upmem/costed_plan.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace pimdse::models::upmem {

/// Everything that follows from one assumption about cycles and instructions.
struct Case {
    Timeline t;
    double kernel_cycles = 0.0;
    double energy = 0.0;  ///< J
    std::vector<Timeline> parts;
    std::vector<double> powers;  ///< W, mean over each part; NaN for a part that takes no time
    double package_power = 0.0;  ///< W, fullest chip in the part that needs the most power
    double first = 0.0;          ///< s, until the first token; NaN if the design serves no request

    [[nodiscard]] double moved() const { return (t.input + t.output).si; }              ///< s
    [[nodiscard]] double shorter() const { return std::min(t.input.si, t.kernel.si); }  ///< s
};

/// Power [W]: over the request, over each of its parts, and of the fullest chip.
struct Draw {
    double mean = 0.0;
    std::vector<double> parts;
    double package = 0.0;
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
    bool is_reference = false;  ///< whether the design itself is one stream
};

/// The metrics of this architecture, in declared order.
[[nodiscard]] MetricList metrics();

[[nodiscard]] RequestResult request_result(Report const& report, economy::Economy const& economy);

/// Activity of the busiest DPU of a plan: all cycles, cycles in which it issues, cycles in which its MRAM is busy.
struct BusyCycles {
    double all = 0.0, issuing = 0.0, transferring = 0.0;
};

/// The resource that takes most of the time of a phase. If DPUs compute for most of it: their pipelines in instructions
/// per second or their MRAM in bytes per second, whichever is busier. Otherwise the host link, the launches or the
/// host, as a share of the time. Precondition: the phase takes time.
[[nodiscard]] PhaseLimit limit_of(Design const& design, std::string phase, Plan const& plan, Timeline const& timeline,
                                  BusyCycles const& busy);

}  // namespace pimdse::models::upmem
