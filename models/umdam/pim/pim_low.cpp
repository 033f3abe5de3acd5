#include "models/umdam/pim/pim_low.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>
#include <cmath>
#include <ratio>

namespace pimdse::models::umdam {
namespace {

/// The channel counts in femtoseconds; a clock cycle has some million of them.
double rounded(double cycles, double clock) {
    constexpr auto femtoseconds = static_cast<double>(std::femto::den);  // of a second
    return std::round(cycles * clock * femtoseconds) / std::round(clock * femtoseconds);
}

constexpr double moment = 0x1p-18;  // cycles: more than the femtoseconds by which a sum may be rounded up

}  // namespace

PimLow::PimLow(PimTiming const& timing)
    : timing_(timing),
      interval_(rounded(timing.mac_interval, timing.clock)),
      overhead_(timing.stagger + timing.activate_to_mac + timing.nRTP + timing.nRP) {}

/// ACT and PRE are issued at clock edges.
double PimLow::visit(double macs) const {
    double const multiplied = timing_.activate_to_mac + (macs - 1.0) * interval_ + timing_.nRTP;
    return std::ceil(timing_.stagger + std::max(multiplied, timing_.nRAS) - moment) + timing_.nRP;
}

double PimLow::visits(double count, double macs) const {
    return std::max(0.0, count * (overhead_ - interval_) + macs * interval_);
}

double PimLow::pause(double refresh_time) const {
    return std::max(0.0, refresh_time + std::min(0.0, std::floor(overhead_ - interval_ - moment)));
}

/// Fillings and MACs take turns. The interval between two MACs may pass in a filling, if the row stays open; the MAC
/// behind such a filling is not the first of its visit.
double PimLow::one_buffer(GemvWalk const& walk, std::int64_t vectors) const {
    double const first = static_cast<double>(walk.first_fill), all = static_cast<double>(walk.buffer_writes);
    std::int64_t const in_rows =
        walk.fills_in_rows ? std::min(walk.fillings - 1, walk.macs * vectors - walk.openings) : 0;
    double const hidden = static_cast<double>(in_rows) * std::max(0.0, interval_ - timing_.nRTP);
    return visits(static_cast<double>(walk.openings), static_cast<double>(walk.macs * vectors)) +
           std::max(first * timing_.buffer_write, all * timing_.buffer_write - hidden);
}

double PimLow::cycles(GemvWalk const& walk, Operand operand, std::int64_t vectors) const {
    double sum = 0.0;
    for (auto const& v : walk.visits)
        sum += static_cast<double>(v.count) * visit(static_cast<double>(v.macs * vectors));
    double const macs = static_cast<double>(walk.macs * vectors);
    double const apart =
        timing_.stagger + timing_.activate_to_mac + (macs - 1.0) * interval_ + timing_.nRTP + timing_.nRP;
    double const multiplied = std::max(sum, apart);
    if (operand == Operand::present) return multiplied;
    double const first = static_cast<double>(walk.first_fill) * timing_.buffer_write;
    double const writes = static_cast<double>(walk.buffer_writes) * timing_.buffer_write;
    return std::max(first + multiplied,
                    timing_.double_buffer ? writes + timing_.nRTP + timing_.nRP : one_buffer(walk, vectors));
}

}  // namespace pimdse::models::umdam
