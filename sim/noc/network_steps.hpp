#pragma once

#include "sim/noc/network.hpp"

#include <array>

/// The innermost steps of the network, for its source files only.
namespace pimdse::sim::noc {
namespace detail {

/// The port at the other end of every link; local ends at itself.
inline constexpr std::array<std::uint8_t, ports> other_end{2, 3, 0, 1, 4};

}  // namespace detail

/// Adds to what a router hears after the traversal of a switch and a link.
inline void Network::tell(std::size_t router, std::uint32_t news) {
    news_soon_[router] = static_cast<std::uint16_t>(news_soon_[router] | news);
    told_soon_[router / block] = 1;
}

inline void Network::tell(Cycle when, std::size_t router, std::uint32_t news) {
    auto& heard = news_[slot(when) * nodes() + router];
    heard = static_cast<std::uint16_t>(heard | news);
    told_[slot(when) * blocks_ + router / block] = 1;
}

inline void Network::wake(std::size_t router) { tell(now_ + 1, router, 1U << wake_at); }

/// The flit at the next router: a hop less of its leg, or on its next leg.
inline Network::Flit Network::one_hop_on(Flit flit) {
    constexpr Flit hop = Flit{8} << 32U, hops = Flit{0xfff8} << 32U, behind = Flit{local} << 48U;
    Flit const on = flit - hop;
    Flit const turned = (on & 0xffff'ffffU) | (on >> 16U & Flit{0xffff} << 32U) | behind;
    // By a mask, not a branch: where a packet turns is anybody's guess.
    Flit const same_leg = Flit{0} - static_cast<Flit>((on & hops) != 0);
    return turned ^ ((turned ^ on) & same_leg);
}

/// Takes the first flit out of a FIFO and sends its credit back.
inline Network::Flit Network::take(std::size_t at, unsigned port) {
    Router& router = routers_[at];
    std::uint32_t const read = router.read[port];
    Flit const flit = fifo_[((at * ports + port) << fifo_shift_) + read];
    router.read[port] = static_cast<std::uint16_t>((read + 1U) & fifo_mask_);
    router.flits -= lanes::one(port);
    tell(at + static_cast<std::size_t>(step_[port]), (1U << credits_at) << detail::other_end[port]);
    return flit;
}

/// Writes a flit behind the others of the FIFO behind an output, where its credit kept a place; it counts when the
/// router is told. The local output stands for the injection link.
inline void Network::put(std::size_t at, unsigned out, Flit flit) {
    Router& router = routers_[at];
    std::uint32_t const write = router.write[out];
    auto const first = static_cast<std::ptrdiff_t>((at * ports) << fifo_shift_) + fifo_step_[out];
    fifo_[static_cast<std::size_t>(first) + write] = flit;
    router.write[out] = static_cast<std::uint16_t>((write + 1U) & fifo_mask_);
    router.credits -= lanes::one(out);
}

inline void Network::eject(std::size_t at, Flit flit) {
    ++link_flits_[at * ports + local];
    ++ejecting_[soon_];
    if (is_tail(flit)) tails_[soon_].push_back(message_of(flit));
}

inline void Network::send(std::size_t at, unsigned out, Flit flit) {
    ++link_flits_[at * ports + out];
    put(at, out, flit);
    tell(at + static_cast<std::size_t>(step_[out]), 1U << detail::other_end[out]);
}

}  // namespace pimdse::sim::noc
