#pragma once

#include "sim/dram/family.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace pimdse::sim::dram {

/// Earliest cycle of every command at every node of one channel, under the timing constraints of its DRAM. A controller
/// queries it before it issues a command and records the command afterwards. Also usable for commands of other
/// controllers (PIM) on the same banks. Initially there are no constraints.
class Timers {
  public:
    explicit Timers(Standard const& standard);

    /// Earliest cycle of ACT, PRE, RD, WR or REFpb at a bank. Banks are numbered through the channel.
    [[nodiscard, gnu::always_inline]] Tick at_bank(Command command, std::size_t bank) const {
        auto const c = static_cast<std::size_t>(command);
        return std::max(std::max(channel_[c], rank_[c][rank_of_[bank]]),
                        std::max(group_[c][group_of_[bank]], bank_[c][bank]));
    }
    /// Earliest cycle of PREab or REFab at a rank.
    [[nodiscard]] Tick at_rank(Command command, std::size_t rank) const {
        auto const c = static_cast<std::size_t>(command);
        return std::max(channel_[c], rank_[c][rank]);
    }
    /// Lower bound of at_bank over all banks.
    [[nodiscard]] Tick floor(Command command) const {
        auto const c = static_cast<std::size_t>(command);
        Tick lowest = rank_[c][0];
        for (std::size_t r = 1; r < ranks_; ++r) lowest = std::min(lowest, rank_[c][r]);
        return std::max(channel_[c], lowest);
    }
    /// Calls visit(bank, ready) for those of `banks` whose rank allows the command in cycle t; `ready` is the cycle in
    /// which bank and bank group allow it (possibly later than t). Returns the earliest cycle in which any of the other
    /// banks can be ready.
    template <class Visit>
    [[gnu::always_inline]] Tick each_allowed(Command command, std::uint64_t banks, Tick t, Visit&& visit) const {
        auto const c = static_cast<std::size_t>(command);
        Tick left_out = never;
        std::uint64_t allowed = 0;
        for (std::size_t rank = 0; rank < ranks_; ++rank) {
            std::uint64_t const here = banks & rank_banks_[rank];
            Tick const above = std::max(channel_[c], rank_[c][rank]);
            allowed |= above <= t ? here : 0;
            left_out = std::min(left_out, above <= t || here == 0 ? never : above);
        }
        for (; allowed != 0; allowed &= allowed - 1) {
            auto const bank = static_cast<std::size_t>(std::countr_zero(allowed));
            visit(bank, std::max(group_[c][group_of_[bank]], bank_[c][bank]));
        }
        return left_out;
    }

    /// Records ACT, PRE, RD, WR or REFpb at a bank in cycle t. Precondition: t >= at_bank.
    [[gnu::always_inline]] void issue_at_bank(Command command, std::size_t bank, Tick t);
    /// Records PREab or REFab at a rank in cycle t. Precondition: t >= at_rank.
    void issue_at_rank(Command command, std::size_t rank, Tick t);

    [[nodiscard]] std::size_t rank_of(std::size_t bank) const { return rank_of_[bank]; }
    [[nodiscard]] std::size_t group_of(std::size_t bank) const { return group_of_[bank]; }
    [[nodiscard]] std::size_t ranks() const { return ranks_; }
    [[nodiscard]] std::size_t banks() const { return banks_; }

    /// The part of at_bank that one level contributes, to attribute waiting times.
    [[nodiscard]] Tick level(Level level, Command command, std::size_t bank) const;

    /// Advances all times that are not before `since` by `by` cycles.
    void shift(Tick by, Tick since = -never);
    /// Appends all times that can still matter after cycle `now`, relative to it.
    void append_signature(Tick now, std::vector<std::uint64_t>& out) const;

  private:
    struct Edge {
        std::uint8_t to;
        std::int32_t delay;
    };
    struct Edges {
        std::array<Edge, command_count> edge{};
        std::uint8_t count = 0;
    };
    template <class Array>
    static void raise(Array& at, Edges const& edges, std::size_t node, Tick t) {
        for (std::size_t i = 0; i < edges.count; ++i) {
            Tick& earliest = at[edges.edge[i].to][node];
            earliest = std::max(earliest, t + edges.edge[i].delay);
        }
    }
    [[gnu::always_inline]] void issue_above_group(std::size_t c, std::size_t rank, Tick t);
    void note_activate(std::size_t rank, Tick t);

    static constexpr std::size_t max_banks = 64, max_groups = 64, max_ranks = 8;
    std::array<Tick, command_count> channel_{};
    std::array<std::array<Tick, max_ranks>, command_count> rank_{};
    std::array<std::array<Tick, max_groups>, command_count> group_{};
    std::array<std::array<Tick, max_banks>, command_count> bank_{};
    std::array<std::array<Tick, 4>, max_ranks> activates_{};  ///< cycles of the last four ACTs, a ring
    std::array<std::uint8_t, max_ranks> oldest_{};            ///< position of the oldest of them
    std::array<std::array<Edges, command_count>, level_count> edges_{};
    std::array<std::uint8_t, max_banks> rank_of_{}, group_of_{};
    std::array<std::uint64_t, max_ranks> rank_banks_{};  ///< one bit per bank of the rank
    std::size_t ranks_ = 1, groups_ = 1, banks_ = 1;
    Tick four_activates_ = 0;
};

inline void Timers::issue_above_group(std::size_t c, std::size_t rank, Tick t) {
    auto const& of_channel = edges_[static_cast<std::size_t>(Level::channel)][c];
    for (std::size_t i = 0; i < of_channel.count; ++i) {
        Tick& earliest = channel_[of_channel.edge[i].to];
        earliest = std::max(earliest, t + of_channel.edge[i].delay);
    }
    raise(rank_, edges_[static_cast<std::size_t>(Level::rank)][c], rank, t);
    if (ranks_ > 1) {
        auto const& others = edges_[static_cast<std::size_t>(Level::other_rank)][c];
        for (std::size_t other = 0; other < ranks_; ++other) {
            if (other != rank) raise(rank_, others, other, t);
        }
    }
}

inline void Timers::note_activate(std::size_t rank, Tick t) {
    auto& ring = activates_[rank];
    auto& oldest = oldest_[rank];
    ring[oldest] = t;
    oldest = (oldest + 1) & 3;
    Tick& earliest = rank_[static_cast<std::size_t>(Command::activate)][rank];
    earliest = std::max(earliest, ring[oldest] + four_activates_);
}

inline void Timers::issue_at_bank(Command command, std::size_t bank, Tick t) {
    auto const c = static_cast<std::size_t>(command);
    issue_above_group(c, rank_of_[bank], t);
    raise(group_, edges_[static_cast<std::size_t>(Level::group)][c], group_of_[bank], t);
    raise(bank_, edges_[static_cast<std::size_t>(Level::bank)][c], bank, t);
    if (command == Command::activate) note_activate(rank_of_[bank], t);
}

}  // namespace pimdse::sim::dram
