#include "models/upmem/host_link.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::upmem {
namespace {

sim::Time table1_time(Prepared const& p, Direction direction, double bytes) {
    auto const& t = p.table1;
    return {bytes / interpolate_log(t.bytes, direction == Direction::in ? t.in : t.out, bytes)};
}

/// Which of the measured rates of a rank holds.
enum class Call : std::uint8_t { in, out, broadcast };

Call call_of(Transfer how, Direction direction) {
    if (direction == Direction::out) return Call::out;
    return how == Transfer::broadcast ? Call::broadcast : Call::in;
}

std::int64_t used_ranks(std::int64_t dpus, std::int64_t ranks) { return std::min(ranks, dpus); }

/// What the pins of all channels with a rank in the call move: ranks fill a channel before the next.
sim::Bandwidth channel_roof(MachineConstants const& f, std::int64_t dpus, std::int64_t ranks) {
    return std::ceil(static_cast<double>(used_ranks(dpus, ranks)) / f.ranks_per_channel) * f.channel_bandwidth;
}

/// What the host attains: ranks at their measured rate, as many at once as its own memory feeds, and no more than the
/// pins move.
sim::Bandwidth link_roof(MachineConstants const& f, Call call, std::int64_t dpus, std::int64_t ranks) {
    double const at_once = std::min(static_cast<double>(used_ranks(dpus, ranks)), f.ranks_at_once);
    return std::min(channel_roof(f, dpus, ranks), at_once * f.rank_roof[static_cast<std::size_t>(call)]);
}

/// Bandwidth of all ranks together; a rank's grows with the DPUs in the call.
double rank_parallel(MachineConstants const& f, Direction direction, double power, std::int64_t dpus,
                     std::int64_t ranks) {
    double const one = f.parallel[static_cast<std::size_t>(direction)].si;
    double const used = static_cast<double>(used_ranks(dpus, ranks));
    double const per_rank = std::min(std::ceil(static_cast<double>(dpus) / used), f.dpus_per_rank);
    return used * one * std::pow(per_rank, power);
}

sim::Time rank_parallel_time(MachineConstants const& f, Transfer how, Direction direction, double bytes,
                             std::int64_t dpus, std::int64_t ranks) {
    bool const broadcast = how == Transfer::broadcast && direction == Direction::in;
    double const power = broadcast ? f.broadcast_power : f.parallel_power[static_cast<std::size_t>(direction)];
    return {static_cast<double>(dpus) * bytes / rank_parallel(f, direction, power, dpus, ranks)};
}

}  // namespace

sim::Time transfer_time(Prepared const& p, Transfer how, Direction direction, double bytes, std::int64_t dpus,
                        std::int64_t ranks) {
    if (bytes <= 0.0) return {};
    auto const& f = p.machine;
    auto const way = static_cast<std::size_t>(direction);
    sim::Time const roof =
        sim::Data{static_cast<double>(dpus) * bytes} / link_roof(f, call_of(how, direction), dpus, ranks);
    if (how == Transfer::table1) return std::max(roof, table1_time(p, direction, bytes));
    if (how == Transfer::serial) return static_cast<double>(dpus) * table1_time(p, direction, bytes);
    if (how == Transfer::constant) return f.constant_call + std::max(roof, sim::Time{bytes / f.constant[way].si});
    return f.call + std::max(roof, rank_parallel_time(f, how, direction, bytes, dpus, ranks));
}

}  // namespace pimdse::models::upmem
