#pragma once

#include "sim/noc/mesh.hpp"

#include <array>
#include <cstdint>

/// What stands in the network's words: flits, and what a router is told. README.md explains them with an example.
namespace pimdse::sim::noc {

using Cycle = std::int64_t;
using MessageId = std::int32_t;
using Mask = std::uint32_t;  ///< a bit per port

/// message (30 bits) | tail | head in the lower half; in the upper two legs of its way of 16 bits each, the one it is
/// on lower: hops left (13) | output (3). The leg behind the last is `local_out`.
using Flit = std::uint64_t;

inline constexpr Flit head_bit = 1, tail_bit = 2;
inline constexpr unsigned special_out = ports;  ///< output of a flit that is not a unicast's: ask its tree
/// The port; also the lane of the injection link's credits, since ejection needs none.
inline constexpr unsigned local_out = 4;

[[nodiscard]] constexpr Flit message_bits(MessageId message) { return static_cast<Flit>(message) << 2U; }
[[nodiscard]] constexpr MessageId message_of(Flit flit) {
    return static_cast<MessageId>(static_cast<std::uint32_t>(flit) >> 2U);
}
[[nodiscard]] constexpr bool is_tail(Flit flit) { return (flit & tail_bit) != 0; }
[[nodiscard]] constexpr unsigned out_of(Flit flit) { return static_cast<unsigned>(flit >> 32U & 7U); }

/// The flit at the next router: a hop less of its leg, or on its next leg.
[[nodiscard]] constexpr Flit one_hop_on(Flit flit) {
    constexpr Flit hop = Flit{8} << 32U, hops = Flit{0xfff8} << 32U, behind = Flit{local_out} << 48U;
    Flit const on = flit - hop;
    Flit const turned = (on & 0xffff'ffffU) | (on >> 16U & Flit{0xffff} << 32U) | behind;
    // By a mask, not a branch: where a packet turns is anybody's guess.
    Flit const same_leg = Flit{0} - static_cast<Flit>((on & hops) != 0);
    return turned ^ ((turned ^ on) & same_leg);
}

/// The way from one router to another: along the row first, then along the column.
[[nodiscard]] constexpr Flit way_of(Mesh mesh, Node source, Node destination) {
    auto const leg = [](std::int32_t by, unsigned before, unsigned behind) {
        return static_cast<Flit>(by < 0 ? -by : by) << 3U | (by < 0 ? before : behind);
    };
    auto const x = mesh.col(destination) - mesh.col(source), y = mesh.row(destination) - mesh.row(source);
    Flit way = local_out;
    if (y != 0) way = way << 16U | leg(y, 0, 2);
    if (x != 0) way = way << 16U | leg(x, 3, 1);
    return way << 32U;
}

/// What a router is told for a cycle, in 16 bits: flits arriving by input, credits by output (the injection link's with
/// them), whether more came by the longer ways (through an adder, or back from a chain), and that it shall look again.
inline constexpr unsigned credits_at = 5, late_at = 10, wake_at = 11;
/// Routers that share a word which says that there is news for one of them.
inline constexpr unsigned news_block = 64;

/// The port at the other end of every link; local ends at itself.
inline constexpr std::array<std::uint8_t, ports> other_end{2, 3, 0, 1, 4};

}  // namespace pimdse::sim::noc
