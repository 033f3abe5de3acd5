#pragma once

#include "models/umdam/constants.hpp"
#include "sim/dram/mapping/mapping.hpp"
#include "sim/dram/timing/command.hpp"

#include <compare>
#include <cstdint>

namespace pimdse::models::umdam {

/// What decides how fast a stream of several engines is by its addresses.
struct PaceKey {
    sim::dram::Mapping const* mapping = nullptr;      ///< remembered by prepared.hpp, which has one of each
    sim::dram::Standard const* timing_set = nullptr;  ///< the same
    sim::dram::Organisation organisation;
    std::int64_t queue_depth = 1, engines = 1;
    std::uint64_t bursts = 0;
    sim::dram::Access access = sim::dram::Access::read;
    auto operator<=>(PaceKey const&) const = default;
};

/// Cycles per burst and channel of a stream, refresh left out: what the busiest resource of every filling of the queues
/// needs, over some parts of the stream. Roughly right; nothing is promised of it.
[[nodiscard]] double walked_pace(PaceKey const& key, StreamAllowances const& allowances);

}  // namespace pimdse::models::umdam
