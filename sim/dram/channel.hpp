#pragma once

#include "sim/dram/counters.hpp"
#include "sim/dram/family.hpp"
#include "sim/dram/mapping.hpp"
#include "sim/dram/options.hpp"
#include "sim/dram/request_queue.hpp"
#include "sim/dram/steady_state.hpp"
#include "sim/dram/stream.hpp"
#include "sim/dram/timers.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace pimdse::sim::dram {

/// Settings of the memory controller of a channel: timing set and options, evaluated once per run. Times in cycles.
struct ControllerSettings {
    explicit ControllerSettings(Standard const& standard, Options const& options);

    Family family;
    RefreshMode refresh;
    Scheduler scheduler;
    int depth;                          ///< entries of the read and of the write queue
    std::size_t write_high, write_low;  ///< sizes of the write queue at which write mode starts and ends
    Tick read_latency;                  ///< nCL + nBL
    Tick activate_deadline;             ///< nAAD: ACT1 to ACT2 (LPDDR5)
    Tick read_clock, write_clock;       ///< cycles that WCK keeps running after RD and WR (LPDDR5)
    Tick refresh_interval;              ///< `never` without refresh
    Tick refresh_round;                 ///< in which every bank is refreshed once; `never` without refresh
    Tick refresh_time;                  ///< nRFC, or nRFCpb
    std::size_t refreshed_at_once;      ///< refreshes that come due together
    Observe observe;                    ///< what is counted besides commands and latencies
};

/// Position in time and in the address space that a state signature is relative to. Addresses that differ by a multiple
/// of 1 << bit (Mapping::translation_bit) behave alike; `address` is such a multiple.
struct SignatureOrigin {
    Tick now;
    std::uint64_t address;
    int bit;
    Mapping const& mapping;
};

/// `periods` skipped periods of a steady state: how far time and addresses advance in total.
struct SkippedPeriods {
    Tick ticks;
    std::uint64_t bytes;
    std::uint64_t periods;
    Mapping const& mapping;
};

/// A memory channel with its controller: two request queues, the banks, FR-FCFS scheduling, refresh, and the command
/// rules of the DRAM family. Event-driven: `tick(t)` runs cycle t. Cycles before wake() may be skipped; from wake() on
/// every cycle must be run. Cycle for cycle identical to the controller of Ramulator 2.1 (docs/simulators.md).
///
/// The life of a request: `accept` puts it into the read or write queue. If its bank has another row open, a PRE closes
/// it; an ACT opens the row, which moves the request to the active list; a RD or WR serves it. Requests that find their
/// row open are served from the queue. A refresh waits until the active list has no request of its banks.
class Channel {
  public:
    Channel(Standard const& standard, ControllerSettings const& settings);

    /// Accepts a request between cycles `now` and now + 1, or returns false if its queue is full. Its age and its
    /// latency count from `arrived` <= now. Reads of a queued write are forwarded, writes to one are coalesced.
    bool accept(Transaction const& transaction, Place const& place, Tick now, Tick arrived);

    /// Runs cycle t. Precondition: t is later than the last cycle run, and at most wake().
    void tick(Tick t);

    /// Runs every cycle up to `until`. Where no request waits, the cost does not grow with the time that passes.
    void advance(Tick until) {
        if (until - wake_ > 4 * settings_.refresh_round) [[unlikely]]
            rest(until);
        while (wake_ <= until) tick(wake_);
    }

    /// The next cycle in which anything can happen; all earlier ones may be skipped.
    [[nodiscard]] Tick wake() const { return wake_; }
    /// Whether every accepted request has had its RD or WR. Its data may still be on their way (last_completion()).
    [[nodiscard]] bool drained() const { return reads_.empty() && writes_.empty() && active_ == 0 && half_open_ == 0; }
    /// Cycle of the last completion so far.
    [[nodiscard]] Tick last_completion() const { return last_completion_; }
    [[nodiscard]] Counters const& counters() const { return counters_; }
    /// Reports the cycle of every completion to `completions`, which must outlive the channel.
    void report_to(CompletionQueue* completions) { completions_ = completions; }
    /// Ends the run after cycle `end`: completes the accounting of the data bus.
    void finish(Tick end) {
        if (bus_) bus_->finish(end, counters_);
    }

    /// Advances the state in time and in the address space, and adds `periods` times what was counted since `earlier`.
    void skip(SkippedPeriods const& skipped, Counters const& earlier);
    /// Appends all state that decides later commands, relative to the origin.
    void append_signature(SignatureOrigin const& origin, Signature& signature) const;

  private:
    /// Serves the requests that wait. Then skips rounds of refreshes that end by `until`, once a round has left the
    /// channel as it found it.
    void rest(Tick until);
    /// Advances by `by` cycles all times that decide later commands, except times of timers before `since`.
    void shift(Tick by, Tick since);
    /// Appends all state that decides what a channel without requests does.
    void append_idle_state(Tick now, std::vector<std::uint64_t>& out) const;

    enum class Source : std::uint8_t { nowhere, active, reads, writes, refresh };

    /// A command that may be issued, packed into one word: a struct of bytes would be assembled in memory and read back
    /// immediately.
    class Candidate {
      public:
        Candidate() = default;
        /// node: bank; rank for PREab and REFab
        Candidate(Source source, Command command, std::size_t node)
            : word_(static_cast<std::uint32_t>(source) | static_cast<std::uint32_t>(command) << 8 |
                    static_cast<std::uint32_t>(node) << 16) {}
        [[nodiscard]] Source source() const { return static_cast<Source>(word_ & 255); }
        [[nodiscard]] Command command() const { return static_cast<Command>((word_ >> 8) & 255); }
        [[nodiscard]] std::size_t node() const { return word_ >> 16; }
        [[nodiscard]] bool is_column() const { return command() == Command::read || command() == Command::write; }
        explicit operator bool() const { return word_ != 0; }

      private:
        std::uint32_t word_ = 0;  ///< 0: none (its source is `nowhere`)
    };

    /// The oldest ready candidate of a queue so far. `age`: order of acceptance, with the bank in the lowest bits.
    struct OldestReady {
        Candidate candidate;
        std::uint64_t age = RequestQueue::no_request;
    };

    /// Commands that a queue offers: RD or WR, PRE, ACT.
    enum class Work : std::uint8_t { column, precharge, activate };
    /// Which commands of a queue are searched: those of the column bus (RD, WR), of the row bus (ACT, PRE), or all,
    /// where both share one bus.
    enum class CommandBus : std::uint8_t { column, row, shared };

    // Command rules of the families; each runs cycle t.
    inline void tick_lpddr5(Tick t);
    inline void tick_ddr4(Tick t);
    inline void tick_hbm2(Tick t);
    /// Issues at most one command; true if it did.
    inline bool issue_one_lpddr5(Tick t, Tick& next);
    inline bool finish_activation();
    inline void issue_row_lpddr5(Candidate chosen, Tick t);
    inline void issue_column_lpddr5(Candidate chosen, Tick t);

    // Choosing a command. `next` is lowered to the earliest cycle in which a command that is not ready now can be
    // ready.
    [[nodiscard]] inline Candidate choose(Tick t, Tick& next);
    [[nodiscard]] inline Candidate oldest_active(Tick t, Tick& next);
    /// The queue to serve, reads or writes. Enters or leaves write mode.
    [[nodiscard]] Source choose_queue();
    template <CommandBus bus>
    [[nodiscard]] inline Candidate oldest_queued(Source source, Tick t, Tick& next);
    inline void find_oldest_ready(Source source, Work work, Command command, std::uint64_t banks,
                                  RequestQueue::Ages const& ages, Tick t, Tick& next, OldestReady& best);
    [[nodiscard]] inline bool protected_by_hit(RequestQueue const& from, std::size_t bank) const;
    [[nodiscard]] Candidate refresh_candidate(Tick t, Tick& next) const;
    [[nodiscard]] Candidate refresh_command(std::size_t node) const;

    // The next cycle that must be run: after a command was issued, and after a request was accepted.
    [[nodiscard]] inline Tick after_issue(Tick t);
    [[nodiscard]] Tick after_acceptance(Source source, Tick ready, Tick now) const;

    // Issuing a command.
    inline void issue_row(Candidate chosen, Tick t);
    inline void issue_precharge(Candidate candidate, Tick t);
    inline void issue_column(Candidate candidate, Tick t);
    void issue_refresh_command(Candidate candidate, Tick t);
    inline Request take_for_activation(Candidate candidate, Tick t);
    inline void open(std::size_t bank, Request const& request);
    inline void close(std::size_t bank);
    inline void queue_due_refreshes(Tick t);
    inline void count_read_done(Tick arrive, Tick depart);
    inline void count_write_done(Tick t);

    static std::uint64_t bit(std::size_t bank) { return std::uint64_t{1} << bank; }
    [[nodiscard]] std::uint64_t banks_of(std::size_t rank) const { return rank_banks_ << (rank * banks_per_rank_); }
    [[nodiscard]] RequestQueue const& queue(Source source) const { return source == Source::reads ? reads_ : writes_; }
    RequestQueue& queue(Source source) { return source == Source::reads ? reads_ : writes_; }
    [[nodiscard]] bool refresh_pending() const { return refresh_count_ != 0; }
    /// True if choosing a queue now would not change the write mode. While the queues stay the same, cycles that would
    /// do nothing but choose can then be skipped.
    [[nodiscard]] bool write_mode_is_stable() const {
        return write_mode_ ? writes_.size() > settings_.write_low || reads_.empty()
                           : writes_.size() < settings_.write_high && !reads_.empty();
    }

    Tick& not_before(Source source, Work work) {
        return not_before_[source == Source::reads ? 0 : 1][static_cast<std::size_t>(work)];
    }
    /// A bank offers this work from now on. Returns the cycle in which it is ready.
    [[gnu::always_inline]] Tick offer(Source source, Work work, Command command, std::size_t bank) {
        Tick& earliest = not_before(source, work);
        Tick const ready = timers_.at_bank(command, bank);
        earliest = std::min(earliest, ready);
        return ready;
    }
    [[gnu::always_inline]] void offer_precharges(std::size_t bank) {
        offer(Source::reads, Work::precharge, Command::precharge, bank);
        offer(Source::writes, Work::precharge, Command::precharge, bank);
    }
    /// Raises the bound of this work to what channel and ranks demand, and returns it.
    [[gnu::always_inline]] Tick tighten(Source source, Work work, Command command) {
        Tick& earliest = not_before(source, work);
        return earliest = std::max(earliest, timers_.floor(command));
    }
    inline Tick offer_request(Source source, Request const& request);

    // Filter of queued writes: a cheap "no" before a queue is searched for an address.
    static std::size_t filter_index(std::uint64_t address) { return (address * 0x9E3779B97F4A7C15ULL) >> 56; }
    void forget_write(std::uint64_t address) { --queued_writes_[filter_index(address)]; }

    static constexpr std::size_t max_banks = RequestQueue::max_banks, max_refreshes = 64;

    ControllerSettings settings_;
    Timers timers_;
    RequestQueue reads_, writes_;

    // Banks, one bit each.
    std::uint64_t open_ = 0;           ///< a row is open
    std::uint64_t half_open_ = 0;      ///< between ACT1 and ACT2 (LPDDR5)
    std::uint64_t active_ = 0;         ///< in the active list: opened for a request that is not served yet
    std::uint64_t active_writes_ = 0;  ///< last opened for a write

    std::array<std::uint32_t, max_banks> row_{};          ///< open row
    std::array<std::uint64_t, max_banks> row_address_{};  ///< of the request that opened the row
    std::array<Request, max_banks> active_request_{};     ///< the request that the row was opened for
    std::array<std::uint64_t, max_banks>
        active_position_{};  ///< order in the active list: number of row activations before
    std::uint64_t activations_ = 0;
    bool write_mode_ = false;

    /// By queue and work: a lower bound of the cycle in which any of it can be ready. Constraints only ever move later,
    /// so a bound holds until a bank offers the work again; it then drops to at most the ready cycle of that bank.
    std::array<std::array<Tick, 3>, 2> not_before_{{{never, never, never}, {never, never, never}}};
    Tick active_not_before_ = never;  ///< the same for the active list
    Tick wake_ = 1;
    Tick next_refresh_ = never;

    std::size_t banks_per_rank_;
    std::uint64_t rank_banks_;                                 ///< banks of rank 0
    std::array<std::uint8_t, max_refreshes> refresh_queue_{};  ///< a ring of ranks (all-bank) or banks (per-bank)
    std::size_t refresh_head_ = 0, refresh_count_ = 0;
    std::size_t next_refresh_bank_ = 0;

    std::uint64_t accepted_ = 0;
    Tick last_read_done_ = 0, last_completion_ = 0;
    std::array<std::uint16_t, 256> queued_writes_{};  ///< by filter_index
    CompletionQueue* completions_ = nullptr;
    std::optional<BusMonitor> bus_;  ///< only if everything is observed
    Counters counters_;

    // LPDDR5 only.
    Candidate synchronising_;    ///< its CAS was issued in the previous cycle
    Request half_open_request_;  ///< between ACT1 and ACT2
    Tick deadline_ = 0;          ///< last cycle for its ACT2
    Tick clock_until_ = 0;       ///< WCK runs in earlier cycles
};

}  // namespace pimdse::sim::dram
