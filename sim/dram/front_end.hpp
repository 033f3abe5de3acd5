#pragma once

#include "sim/dram/channel.hpp"
#include "sim/dram/channel_partition.hpp"
#include "sim/dram/counters.hpp"
#include "sim/dram/family.hpp"
#include "sim/dram/request_queue.hpp"
#include "sim/dram/steady_state.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace pimdse::sim::dram {

/// Cost of a prefix of a stream, simulated as if the stream ended there.
struct PrefixCost {
    Tick cycles = 0;
    std::uint64_t row_activations = 0;
};

/// A front end and the channels [first, first + count) that it feeds. It sends the requests of its channels in stream
/// order and skips requests of other channels. Without a limit of outstanding requests it advances only the channel of
/// the next request; with one (`Options::window`) it runs all channels in step.
class FrontEnd {
  public:
    /// Arguments of a run; must outlive the front end.
    struct Run {
        Standard const& standard;
        Mapping const& mapping;
        Stream const& stream;
        Options const& options;
    };
    FrontEnd(Run const& run, std::size_t first, std::size_t count);

    /// Sends the whole stream and runs the channels until they are empty. Returns the cycle of the last completion.
    Tick run();
    /// Runs the channels to the end of the whole simulation and returns the sum of their counters.
    [[nodiscard]] Counters finish(Tick end);

    /// Instead of run() and finish(): the cost of each prefix of these lengths (ascending, the last one at most the
    /// stream's). Where the next request is not part of a prefix, a copy of the channels is run until it is empty.
    [[nodiscard]] std::vector<PrefixCost> run_prefixes(std::span<std::uint64_t const> lengths);

    /// Requests of the stream that were skipped in a steady state.
    [[nodiscard]] std::uint64_t skipped() const { return skipped_; }

  private:
    static constexpr auto no_request = ~std::uint64_t{0};

    /// Sends the whole stream.
    void send_all() { run_.options.window > 0 ? send_windowed() : send_unlimited(); }
    void send_unlimited();
    /// Sends these requests. False if periods were skipped, so that `next_` is elsewhere in the stream.
    bool send(std::span<NumberedRequest const> chunk);
    /// Runs a full channel until it accepts the request; no later request may overtake it.
    void retry(Channel& channel, Transaction const& transaction, Place const& place);
    void send_windowed();
    /// Sends the requests that may be sent in this cycle. True if only the limit of tries per cycle stopped it.
    bool send_in_cycle();
    static void drain(Channel& channel);
    /// Cycle in which request next_ arrives: now, unless the stream is timed.
    [[nodiscard]] Tick arrival() const { return timed_ ? run_.stream.arrival(next_) : now_; }

    /// Called between two requests at a refresh deadline (without refresh: at a multiple of the stream's period), and
    /// where a prefix ends. False if periods were skipped.
    bool pass_checkpoint();
    void set_next_checkpoint();
    void detect_steady_state();
    void skip_periods();
    /// Records all prefixes that end before request `next`.
    void record_prefixes(std::uint64_t next);
    [[nodiscard]] PrefixCost cost_if_ended() const;
    [[nodiscard]] std::uint64_t next_prefix() const { return prefixes_.empty() ? no_request : prefixes_.front(); }

    Run run_;
    bool timed_;  ///< requests have arrival times
    std::size_t first_;
    std::vector<Channel> channels_;
    CompletionQueue completions_;

    Tick now_ = 0;            ///< cycles done
    int tried_ = 0;           ///< requests accepted in this cycle
    std::uint64_t next_ = 0;  ///< number of the request to send
    std::uint64_t outstanding_ = 0;
    Tick last_acceptance_ = -1;

    SteadyStateDetector detector_;
    Tick refresh_round_;  ///< between two checkpoints by time
    std::uint64_t skipped_ = 0;
    Signature signature_;
    std::vector<Counters> counted_;                  ///< by channel, at the last candidate or skip
    Tick checkpoint_tick_ = never;                   ///< the next checkpoint by time
    std::uint64_t phase_request_ = no_request;       ///< the next one by phase of the stream
    std::uint64_t checkpoint_request_ = no_request;  ///< the next one by phase or by the end of a prefix

    std::span<std::uint64_t const> prefixes_;  ///< lengths still to come
    std::vector<PrefixCost> prefix_costs_;     ///< of those that are done
};

}  // namespace pimdse::sim::dram
