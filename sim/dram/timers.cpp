#include "sim/dram/timers.hpp"

#include "sim/base/check.hpp"

namespace pimdse::sim::dram {

Timers::Timers(Standard const& standard) : four_activates_(standard.timing.nFAW) {
    auto const& o = standard.organisation;
    ranks_ = static_cast<std::size_t>(o.ranks);
    groups_ = ranks_ * static_cast<std::size_t>(o.bank_groups);
    banks_ = groups_ * static_cast<std::size_t>(o.banks);
    expects(banks_ <= max_banks && ranks_ <= max_ranks, "a channel has at most 64 banks in 8 ranks");
    for (std::size_t b = 0; b < banks_; ++b) {
        group_of_[b] = static_cast<std::uint8_t>(b / static_cast<std::size_t>(o.banks));
        rank_of_[b] = static_cast<std::uint8_t>(group_of_[b] / static_cast<std::size_t>(o.bank_groups));
        rank_banks_[rank_of_[b]] |= std::uint64_t{1} << b;
    }
    for (auto const& c : constraints_of(standard)) {
        auto& edges = edges_[static_cast<std::size_t>(c.level)][static_cast<std::size_t>(c.from)];
        edges.edge[edges.count++] = {static_cast<std::uint8_t>(c.to), c.delay};
    }
    // There is no fourth-last ACT yet: a time far enough in the past imposes no constraint.
    for (auto& ring : activates_) ring.fill(-four_activates_);
}

void Timers::issue_at_rank(Command command, std::size_t rank, Tick t) {
    issue_above_group(static_cast<std::size_t>(command), rank, t);
}

Tick Timers::level(Level level, Command command, std::size_t bank) const {
    auto const c = static_cast<std::size_t>(command);
    switch (level) {
        case Level::channel:
            return channel_[c];
        case Level::rank:
        case Level::other_rank:
            return rank_[c][rank_of_[bank]];
        case Level::group:
            return group_[c][group_of_[bank]];
        case Level::bank:
            return bank_[c][bank];
    }
    return 0;
}

void Timers::shift(Tick by, Tick since) {
    auto const move = [=](auto& ticks) {
        for (auto& tick : ticks)
            if (tick >= since) tick += by;
    };
    for (std::size_t c = 0; c < command_count; ++c) {
        if (channel_[c] >= since) channel_[c] += by;
        move(rank_[c]);
        move(group_[c]);
        move(bank_[c]);
    }
    for (auto& ring : activates_) move(ring);
}

void Timers::append_signature(Tick now, std::vector<std::uint64_t>& out) const {
    // A level that demands no more than the levels above it has no effect, because times only ever move later.
    auto const add = [&](Tick tick, Tick above) {
        out.push_back(tick <= std::max(now + 1, above) ? 0 : static_cast<std::uint64_t>(tick - now));
    };
    for (std::size_t c = 0; c < command_count; ++c) {
        add(channel_[c], 0);
        for (std::size_t r = 0; r < ranks_; ++r) add(rank_[c][r], channel_[c]);
        for (std::size_t g = 0; g < groups_; ++g) {
            std::size_t const bank = g * (banks_ / groups_);
            add(group_[c][g], std::max(channel_[c], rank_[c][rank_of_[bank]]));
        }
        for (std::size_t b = 0; b < banks_; ++b)
            add(bank_[c][b], std::max({channel_[c], rank_[c][rank_of_[b]], group_[c][group_of_[b]]}));
    }
    // Effect of the last four ACTs on the next ones; that of the fourth-last one is already in the ACT timer of the
    // rank.
    for (std::size_t r = 0; r < ranks_; ++r) {
        for (std::size_t i = 1; i < 4; ++i) add(activates_[r][(oldest_[r] + i) & 3] + four_activates_, 0);
    }
}

}  // namespace pimdse::sim::dram
