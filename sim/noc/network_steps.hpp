#pragma once

#include "sim/noc/network.hpp"

#include <array>

/// The innermost steps of the network, for its two source files only.
namespace pimdse::sim::noc {
namespace detail {

/// Where `there` lies from `here`: 0 before, 1 level, 2 behind. Without a branch: which way it goes is anybody's guess.
inline int side(std::int32_t here, std::int32_t there) { return 1 + static_cast<int>(there > here) - static_cast<int>(there < here); }

/// Output for (side in x, side in y): along the row first.
inline constexpr std::array<std::uint16_t, 9> route{3, 3, 3, 0, 4, 2, 1, 1, 1};

}  // namespace detail

inline void Network::new_head(Node router, int port) {
    auto const input = static_cast<std::size_t>(router * ports + port);
    Place const there = places_[static_cast<std::size_t>(message_of(front(input)))];
    Place const here = here_[static_cast<std::size_t>(router)];
    waiting_[static_cast<std::size_t>(router)] |= static_cast<Mask>(1U << port);
    auto const way = static_cast<std::size_t>(3 * detail::side(here.x, there.x) + detail::side(here.y, there.y));
    want_[input] = there.x < 0 ? special : detail::route[way];
}

inline bool Network::can_move(std::size_t input) const {
    if (count_[input] == 0) return false;
    auto const out = want_[input];
    return out == special || credits_[input - input % ports + out] > 0;
}

inline void Network::send(Node router, std::int32_t output, Flit flit, std::int32_t credit, std::int32_t delay) {
    auto const o = static_cast<std::size_t>(router * ports + output);
    credits_[o] -= output == index(Port::local) ? 0 : 1;
    ++link_flits_[o];
    if (delay == timing_.traversal) {
        due(now_ + delay).push_back({flit, downstream_[o], credit});
        ++events_;
        return;
    }
    due(now_ + delay).push_back({flit, downstream_[o], none});
    ++events_;
    if (credit == none) return;
    due(now_ + timing_.traversal).push_back({0, none, credit});
    ++events_;
}

inline void Network::take(std::int32_t input, Mask& held) {
    auto const i = static_cast<std::size_t>(input);
    Flit const flit = front(i);
    head_[i] = static_cast<std::uint16_t>((head_[i] + 1) & fifo_mask_);
    --count_[i];
    if (!is_tail(flit)) return;
    Node const router = input / ports;
    int const port = input % ports;
    moving_[static_cast<std::size_t>(router)] &= static_cast<Mask>(~(1U << port));
    if (count_[i] == 0) return;
    new_head(router, port);
    held |= static_cast<Mask>(1U << port);
}

}  // namespace pimdse::sim::noc
