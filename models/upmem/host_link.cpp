#include "models/upmem/host_link.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::upmem {
namespace {

sim::Time table1_time(Prepared const& p, Direction direction, double bytes) {
    auto const& t = p.table1;
    return {bytes / interpolate_log(t.bytes, direction == Direction::in ? t.in : t.out, bytes)};
}

/// Bandwidth of all ranks together; a rank's grows with the DPUs in the call, the sum ends at the channels'.
double rank_parallel(MachineConstants const& f, Direction direction, double power, std::int64_t dpus,
                     std::int64_t ranks) {
    double const one = f.parallel[static_cast<std::size_t>(direction)].si;
    double const used = static_cast<double>(std::min(ranks, dpus));
    double const per_rank = std::min(std::ceil(static_cast<double>(dpus) / used), f.dpus_per_rank);
    double const channels = std::ceil(used / f.ranks_per_channel);
    return std::min(used * one * std::pow(per_rank, power), channels * f.channel_bandwidth.si);
}

}  // namespace

sim::Time transfer_time(Prepared const& p, Transfer how, Direction direction, double bytes, std::int64_t dpus,
                        std::int64_t ranks) {
    if (bytes <= 0.0) return {};
    auto const& f = p.machine;
    auto const way = static_cast<std::size_t>(direction);
    if (how == Transfer::table1) return table1_time(p, direction, bytes);
    if (how == Transfer::serial) return static_cast<double>(dpus) * table1_time(p, direction, bytes);
    if (how == Transfer::constant) return f.constant_call + sim::Time{bytes / f.constant[way].si};
    bool const broadcast = how == Transfer::broadcast && direction == Direction::in;
    double const power = broadcast ? f.broadcast_power : f.parallel_power[way];
    return f.call + sim::Time{static_cast<double>(dpus) * bytes / rank_parallel(f, direction, power, dpus, ranks)};
}

}  // namespace pimdse::models::upmem
