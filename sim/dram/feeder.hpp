#pragma once

#include "sim/dram/channel.hpp"
#include "sim/dram/renewal.hpp"
#include "sim/dram/run.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <span>
#include <vector>

namespace pimdse::sim::dram {

/// Times of completions not yet seen by the front end, earliest first.
class Completions final : public CompletionSink {
  public:
    void completes(Tick tick) override { pending_.push(tick); }
    [[nodiscard]] Tick next() const { return pending_.empty() ? never : pending_.top(); }
    /// How many there are up to this tick; forgets them.
    std::uint64_t take(Tick until) {
        std::uint64_t count = 0;
        for (; next() <= until; ++count) pending_.pop();
        return count;
    }

  private:
    std::priority_queue<Tick, std::vector<Tick>, std::greater<>> pending_;
};

/// A front end and the channels [first, first + count) it feeds; requests of other channels pass by.
template <Family family>
class Feeder {
  public:
    struct Work {
        Standard const& standard;
        Mapping const& mapping;
        Stream const& stream;
        Options const& options;
    };
    Feeder(Work const& work, std::size_t first, std::size_t count);

    /// Sends the whole stream and runs the channels until they are empty. Returns the tick of the last completion.
    Tick run();
    /// Runs the channels to the common end and counts.
    [[nodiscard]] Counters settle(Tick end);

    /// Instead of run(): the same, noting the progress between the refresh deadlines after request `warm_up`.
    [[nodiscard]] Watched watch(std::uint64_t warm_up);

    /// Requests of the stream that were left out by renewal.
    [[nodiscard]] std::uint64_t skipped() const { return skipped_; }

  private:
    static constexpr std::size_t block_size = 256;

    /// Sends the whole stream.
    void send_all();
    void run_unlimited();
    /// Sends requests of a block until its end or a skip.
    void send(std::span<Transaction const> block);
    void run_windowed();
    /// One send phase under the window; true if it ended because of the tries per cycle.
    bool send_phase();
    void advance(Channel<family>& channel, Tick until) {
        while (channel.wake() <= until) channel.tick(channel.wake());
    }
    /// Ticks until the channel takes the request: nothing behind it may overtake.
    void insist(Channel<family>& channel, Transaction const& transaction, Place const& place);
    /// Called between two requests at a refresh deadline (without refresh: at a multiple of the stream's period); false
    /// if the block of requests in hand is no longer the one to go on with.
    bool pass_milestone();
    void note_deadline();
    [[nodiscard]] Progress progress();
    void look_for_renewal();
    void skip();

    Work work_;
    std::size_t first_;
    std::vector<Channel<family>> channels_;
    Renewal renewal_;
    Tick lap_;  ///< between milestones
    Completions completions_;
    Tick now_ = 0;            ///< ticks done
    int tried_ = 0;           ///< acceptances in this send phase
    std::uint64_t next_ = 0;  ///< request to send
    std::uint64_t outstanding_ = 0;
    Tick last_acceptance_ = -1;
    std::uint64_t skipped_ = 0;
    Signature signature_;
    std::vector<Counters> counted_;            ///< per channel, when a renewal was suspected
    std::optional<std::uint64_t> watch_from_;  ///< request from which on deadlines are noted
    std::size_t deadlines_ = 0;                ///< noted so far
    Watched noted_;
    Tick milestone_tick_ = never;                          ///< the next milestone is at this time,
    std::uint64_t milestone_request_ = ~std::uint64_t{0};  ///< or at this request
};

}  // namespace pimdse::sim::dram
