#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/design.hpp"
#include "models/dplena/hbm/address.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace pimdse::models::dplena {

/// Timing rules with the bus rule of one design picked.
struct ChannelTiming {
    ChannelTiming(HbmTiming const& timing, Bus which)
        : rules(timing), bus(timing.bus[static_cast<std::size_t>(which)]) {}
    /// From the issue of a read to the tick in which it retires.
    [[nodiscard]] std::int64_t read_time() const { return rules.read_latency + rules.burst; }

    HbmTiming rules;
    std::int64_t bus;
};

/// One HBM channel as the simulator that the authors pin runs it: a queue of reads, a list of reads whose row was
/// opened for them, one command per tick. First ready, then oldest, the list before the queue.
class Channel {
  public:
    static constexpr std::int64_t closed = -1;
    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

    explicit Channel(ChannelTiming const& timing) : timing_(&timing) { rows_.fill(closed); }

    [[nodiscard]] bool accepts() const { return static_cast<std::int64_t>(queue_.size()) < timing_->rules.read_queue; }
    /// `age` is the read's place in the order of presentation; `tag` comes back from tick() when the read is issued.
    void push(HbmAddress const& place, std::int64_t age, std::int64_t tag);

    /// What one tick did and the first later tick in which this channel could do anything, if nothing is pushed before.
    struct Step {
        std::optional<std::int64_t> read;  ///< tag of the read issued in this tick
        std::int64_t next = never;
    };
    /// Ticks are given in rising order; those before `next` may be left out.
    Step tick(std::int64_t now);

    /// Closes every bank and keeps quiet until `until`.
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
        std::int64_t next = never;  ///< earliest tick in which a read that is not ready becomes so
    };
    struct BankTimes {
        std::int64_t activated = long_ago, precharged = long_ago, read = long_ago;
    };

    [[nodiscard]] std::int64_t ready_at(HbmAddress const& place) const;
    [[nodiscard]] std::int64_t activate_at(std::uint32_t bank) const;
    [[nodiscard]] Choice oldest_ready(std::vector<Read> const& list, std::int64_t now) const;
    [[nodiscard]] bool wanted_open(std::uint32_t bank) const;
    std::optional<std::int64_t> issue(std::vector<Read>& from, std::size_t at, std::int64_t now);
    void activate(Read const& read, std::int64_t now);

    ChannelTiming const* timing_;
    std::vector<Read> queue_, opened_;
    std::array<std::int64_t, AddressMap::banks> rows_{};
    std::array<BankTimes, AddressMap::banks> banks_{};
    std::array<std::int64_t, 8> group_activated_ = filled<8>(), group_read_ = filled<8>();
    std::array<std::int64_t, 2> pseudo_read_ = filled<2>();
    std::array<std::array<std::int64_t, 4>, 2> pseudo_activated_{filled<4>(), filled<4>()};  ///< oldest first
    std::int64_t activated_ = long_ago;
    std::int64_t quiet_until_ = long_ago;

    template <std::size_t N>
    static constexpr std::array<std::int64_t, N> filled() {
        std::array<std::int64_t, N> times{};
        times.fill(long_ago);
        return times;
    }
};

}  // namespace pimdse::models::dplena
