#pragma once

#include "models/dplena/hbm/channel.hpp"

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace pimdse::models::dplena {

/// All channels of the HBM in absolute time, with every timer. Lists of reads are presented in order; a read whose
/// channel is full holds up all behind it and is tried again after every tick. Reads retire in the order of their
/// issue, at most one per channel and tick, since a channel issues at most one per tick; so a list ends read_time()
/// after its last issue.
class Controller {
  public:
    /// With refresh on, every channel refreshes at `first_refresh` and every refresh_interval from there.
    Controller(ChannelTiming const& timing, std::int64_t channels, Refresh refresh, std::int64_t first_refresh);

    /// Presents a list at `now`, which is neither before an earlier list's nor before the last reported end. Returns
    /// its number.
    std::int64_t present(std::span<HbmAddress const> reads, std::int64_t now);
    /// Runs until the oldest list that was not reported yet is complete. Returns the tick in which its last read
    /// retires.
    std::int64_t finish_oldest();

    [[nodiscard]] std::int64_t open_row(std::uint32_t channel, std::uint32_t bank) const {
        return channels_[channel].open_row(bank);
    }
    void set_open_row(std::uint32_t channel, std::uint32_t bank, std::int64_t row) {
        channels_[channel].set_open_row(bank, row);
    }
    /// Tick of the last command that read anything.
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
    void offer(std::int64_t next_tick);
    void run_tick();
    void refresh_if_due();

    ChannelTiming const* timing_;
    std::vector<Channel> channels_;
    std::vector<std::int64_t> wake_;  ///< by channel: no need to tick before
    std::deque<Waiting> waiting_;
    std::deque<List> lists_;  ///< unreported, oldest first
    std::int64_t reported_ = 0;
    std::int64_t presented_ = 0;  ///< reads accepted so far: their age
    std::int64_t now_ = 0;        ///< the next tick to run
    std::int64_t refresh_at_ = Channel::never;
    std::int64_t last_read_ = 0;
};

}  // namespace pimdse::models::dplena
