#pragma once

#include "models/contract/breakdown.hpp"
#include "models/contract/metric.hpp"
#include "models/contract/request_result.hpp"
#include "models/umdam/ledger.hpp"
#include "models/umdam/request.hpp"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace pimdse::models::umdam {

/// What adds up over passes beside their seconds and joules: text::PartCost::amounts.
struct PassAmounts {
    std::array<double, part_count> parts{};  ///< s, by Part
    std::array<double, EnergyLaw::explained.size()> joules{};
    double cube_operations = 0.0, vector_operations = 0.0, bursts = 0.0, bank_reads = 0.0;
    sim::Bounded seconds, package_joules, row_activations, relayout;  ///< s; J; count; s
    sim::Bounded weight_bytes, weight_seconds;                        ///< that the banks multiply, and products in all

    PassAmounts() = default;
    /// As flat() gives them; nothing if there are none.
    explicit PassAmounts(std::span<double const> flat);
    [[nodiscard]] std::vector<double> flat() const;
    /// Widens intervals to those of another choice of units.
    void include(PassAmounts const& other);
};
/// `all`: the sum of its parts, which spends so much.
[[nodiscard]] PassAmounts amounts_of(PhaseCost const& cost, Cost const& all, Spending const& spent,
                                     EnergyLaw const& law);

/// Rounding of sums of many terms: proved bounds are relaxed by more than its largest effect.
inline constexpr double rounding_of_sums = 0x1p-29;
/// The same interval, which allows for the rounding of sums where it is proved, with the value in it.
[[nodiscard]] sim::Bounded rounded(sim::Bounded interval);
/// Widens an interval to that of both.
void widen(sim::Bounded& all, sim::Bounded const& other);

/// A request until its first token, and after that.
struct ServedRequest {
    System const& system;
    MachineConstants const& machine;
    sim::Bounded npu_bandwidth;  ///< of the weights, B/s
    PassAmounts first, rest;
    RequestResult const& common;
};

/// What is particular to common metrics; the metrics that are not common, and their values.
[[nodiscard]] std::vector<MetricNote> metric_notes();
[[nodiscard]] MetricList own_metrics();
[[nodiscard]] Metrics own_metrics_of(ServedRequest const& request);

/// The unit or memory that is closest to its roof in a phase: matrix unit, vector unit, pins of the channels, banks
/// that multiply whole rows, or launches. Precondition: the phase takes time.
[[nodiscard]] PhaseLimit limit_of(System const& system, MachineConstants const& machine, std::string const& phase,
                                  PassAmounts const& amounts);

}  // namespace pimdse::models::umdam
