#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/design.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace pimdse::models::dplena {

/// Destination of a 32-byte read. All times in this file are ticks: cycles of the 1 GHz clock of the NPU and of the
/// command bus. `bank` = pseudo-channel x 16 + group x 4 + bank within the group.
struct HbmAddress {
    std::uint32_t channel = 0;
    std::uint32_t bank = 0;
    std::int64_t row = 0;
};

/// The address mapping of the HBM simulator that the d-PLENA authors used (README.md, Sources). From bit 4 (a column is
/// 16 bytes; a read of 32 bytes has two): 2 column bits, the channel, 1 pseudo-channel bit, 2 group, 2 bank, 3 column
/// bits, the row. Then the 5-bit column is XORed into the lowest 5 of the bits from channel to bank.
class AddressMap {
  public:
    static constexpr std::uint32_t banks = 32;  ///< of a channel, both pseudo-channels together

    /// Precondition: `channels` is a power of two up to 64.
    explicit AddressMap(std::int64_t channels)
        : channel_bits_(static_cast<std::uint32_t>(std::countr_zero(static_cast<std::uint64_t>(channels)))) {}

    /// Number of address bits below the row.
    [[nodiscard]] int row_shift() const { return static_cast<int>(14 + channel_bits_); }

    [[nodiscard]] HbmAddress decode(std::uint64_t address) const {
        auto const lower = static_cast<std::uint32_t>(address >> 4) & 3U;
        auto const levels = static_cast<std::uint32_t>((address >> 6) & ((1ULL << (channel_bits_ + 5)) - 1));
        auto const rest = address >> (11 + channel_bits_);
        auto const column = static_cast<std::uint32_t>(rest & 7U) << 2 | lower;
        auto const folded = levels ^ column;
        auto const above = folded >> channel_bits_;  // pseudo-channel, group, bank from the least significant bit
        return {folded & ((1U << channel_bits_) - 1U), (above & 1U) << 4 | (above >> 1 & 3U) << 2 | (above >> 3 & 3U),
                static_cast<std::int64_t>(rest >> 3)};
    }

  private:
    std::uint32_t channel_bits_;
};

/// Timing rules with the distance of reads that a design's `hbm_bus` selects.
struct ChannelTiming {
    ChannelTiming(HbmTiming const& timing, Bus which)
        : rules(timing), bus(timing.bus[static_cast<std::size_t>(which)]) {}
    /// From the issue of a read to the tick in which it retires.
    [[nodiscard]] std::int64_t read_time() const { return rules.read_latency + rules.burst; }

    HbmTiming rules;
    std::int64_t bus;  ///< between two reads of a pseudo-channel
};

/// One HBM channel with the rules of that simulator: a queue of reads, an active list of reads for which a row was
/// opened, one command per tick. The oldest ready read is served first, and those of the active list before those of
/// the queue. `timing` must outlive the channel.
class Channel {
  public:
    static constexpr std::int64_t closed = -1;
    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

    explicit Channel(ChannelTiming const& timing) : timing_(&timing) { rows_.fill(closed); }

    [[nodiscard]] bool accepts() const { return static_cast<std::int64_t>(queue_.size()) < timing_->rules.read_queue; }
    /// `age` is the position of the read in the order of presentation; tick() returns `tag` when the read is issued.
    void push(HbmAddress const& place, std::int64_t age, std::int64_t tag);

    /// Effect of one tick, and the first later tick in which this channel can act if nothing is pushed before.
    struct Step {
        std::optional<std::int64_t> read;  ///< tag of the read issued in this tick
        std::int64_t next = never;
    };
    /// Call with increasing ticks; those before `next` may be skipped.
    Step tick(std::int64_t now);

    /// Closes all banks and issues nothing until `until`. Timers since earlier commands keep running.
    void refresh(std::int64_t until);

    [[nodiscard]] std::int64_t open_row(std::uint32_t bank) const { return rows_[bank]; }
    void set_open_row(std::uint32_t bank, std::int64_t row) { rows_[bank] = row; }

  private:
    static constexpr std::int64_t long_ago = -1'000'000;

    struct Read {
        HbmAddress place;
        std::int64_t age = 0, tag = 0;
    };
    struct Choice {
        std::size_t at = 0;
        bool found = false;
        std::int64_t next = never;  ///< earliest tick in which a read that is not ready becomes ready
    };
    struct BankTimes {
        std::int64_t activated = long_ago, precharged = long_ago, read = long_ago;
    };

    [[nodiscard]] std::int64_t ready_at(HbmAddress const& place) const;
    [[nodiscard]] std::int64_t activate_at(std::uint32_t bank) const;
    [[nodiscard]] Choice oldest_ready(std::vector<Read> const& list, std::int64_t now) const;
    /// Whether a read of the active list is for this bank, whose row must then stay open.
    [[nodiscard]] bool wanted_open(std::uint32_t bank) const;
    std::optional<std::int64_t> issue(std::vector<Read>& from, std::size_t at, std::int64_t now);
    void activate(Read const& read, std::int64_t now);

    ChannelTiming const* timing_;
    std::vector<Read> queue_, active_;
    std::array<std::int64_t, AddressMap::banks> rows_{};
    std::array<BankTimes, AddressMap::banks> banks_{};
    std::array<std::int64_t, 8> group_activated_ = filled<8>(), group_read_ = filled<8>();
    std::array<std::int64_t, 2> pseudo_read_ = filled<2>();
    std::array<std::array<std::int64_t, 4>, 2> pseudo_activated_{filled<4>(),
                                                                 filled<4>()};  ///< the last four ACTs, oldest first
    std::int64_t activated_ = long_ago;
    std::int64_t quiet_until_ = long_ago;

    template <std::size_t N>
    static constexpr std::array<std::int64_t, N> filled() {
        std::array<std::int64_t, N> times{};
        times.fill(long_ago);
        return times;
    }
};

/// All channels of the HBM in absolute time, with every timer. A list holds the reads of one prefetch. Lists are
/// presented in order; a read whose channel is full blocks all later ones and is retried after every tick. Reads retire
/// in the order of their issue, at most one per channel and tick, because a channel issues at most one per tick; so a
/// list ends read_time() after its last issue.
class Controller {
  public:
    /// With refresh on, every channel refreshes at `first_refresh` and then every refresh_interval.
    Controller(ChannelTiming const& timing, std::int64_t channels, Refresh refresh, std::int64_t first_refresh);

    /// Presents a list at `now`, which must not be before the presentation of an earlier list or the last reported end.
    /// Returns the number of the list.
    std::int64_t present(std::span<HbmAddress const> reads, std::int64_t now);
    /// Runs until the oldest list that is not yet reported is complete. Returns the tick in which its last read
    /// retires.
    std::int64_t finish_oldest();

    [[nodiscard]] std::int64_t open_row(std::uint32_t channel, std::uint32_t bank) const {
        return channels_[channel].open_row(bank);
    }
    void set_open_row(std::uint32_t channel, std::uint32_t bank, std::int64_t row) {
        channels_[channel].set_open_row(bank, row);
    }
    /// Tick of the last read command.
    [[nodiscard]] std::int64_t last_read() const { return last_read_; }

  private:
    struct List {
        std::int64_t left = 0;
        std::int64_t last_issue = 0;
    };
    struct Waiting {
        HbmAddress place;
        std::int64_t list = 0;
    };

    [[nodiscard]] std::int64_t next_event() const;
    /// Hands waiting reads to their channels until a queue is full; these channels can act from `next_tick` on.
    void offer(std::int64_t next_tick);
    void run_tick();
    void refresh_if_due();

    ChannelTiming const* timing_;
    std::vector<Channel> channels_;
    std::vector<std::int64_t> wake_;  ///< by channel: the next tick in which it can act
    std::deque<Waiting> waiting_;
    std::deque<List> lists_;  ///< unreported, oldest first
    std::int64_t reported_ = 0;
    std::int64_t presented_ = 0;  ///< number of reads accepted so far, the age of the next one
    std::int64_t now_ = 0;        ///< the next tick to run
    std::int64_t refresh_at_ = Channel::never;
    std::int64_t last_read_ = 0;
};

}  // namespace pimdse::models::dplena
