#pragma once

#include "sim/dram/counters.hpp"
#include "sim/dram/mapping.hpp"
#include "sim/dram/options.hpp"
#include "sim/dram/renewal.hpp"
#include "sim/dram/request_queue.hpp"
#include "sim/dram/timers.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

namespace pimdse::sim::dram {

/// What addresses are measured from when states are compared: a multiple of 1 << bit, the mapping's translation bit.
struct Origin {
    std::uint64_t address;
    int bit;
    Mapping const& mapping;
};

/// `times` orbits left out: how far time and addresses move in all.
struct Jump {
    Tick ticks;
    std::uint64_t bytes;
    std::uint64_t times;
    Mapping const& mapping;
};

/// The controller's numbers, made once per run.
struct Controller {
    explicit Controller(Standard const& standard, Options const& options);

    RefreshMode refresh;
    Scheduler scheduler;
    int depth;
    std::size_t write_high, write_low;
    Tick read_latency, activate_deadline, read_clock, write_clock;  ///< nCL + nBL; nAAD; how far RD and WR extend WCK
    Tick refresh_interval;                                          ///< `never` without refresh
    Tick refresh_time;                                              ///< nRFC, or nRFCpb
    std::size_t refreshed_at_once;                                  ///< refreshes that come due together
    Observe observe;
};

/// State of one channel and what all command rules share. What may go next is in ChannelPick, what changes when it goes
/// in ChannelIssue, the rules of a family in Channel.
class ChannelState {
  public:
    ChannelState(Standard const& standard, Controller const& controller);

    /// The next tick in which anything can happen; every earlier one may be left out.
    [[nodiscard]] Tick wake() const { return wake_; }
    [[nodiscard]] bool drained() const { return reads_.empty() && writes_.empty() && active_ == 0 && activating_ == 0; }
    /// Tick of the last completion so far.
    [[nodiscard]] Tick last_completion() const { return last_completion_; }
    [[nodiscard]] Counters const& counters() const { return counters_; }
    void report_to(CompletionSink* sink) { sink_ = sink; }
    /// The run ends with tick `end`: settles the account of the bus.
    void finish(Tick end) {
        if (watch_) watch_->finish(end, counters_);
    }

    /// Moves the state into the future and up in the address space, and repeats what was counted since `earlier`.
    void skip(Jump const& jump, Counters const& earlier);
    /// Appends everything the future depends on, relative to `now` and to the origin.
    void append_signature(Tick now, Origin const& origin, Signature& signature) const;

  protected:
    enum class Source : std::uint8_t { nowhere, active, reads, writes, maintenance };
    /// A command that may go: in one word, because a struct of bytes would be put together in memory and read back at
    /// once.
    class Candidate {
      public:
        Candidate() = default;
        /// node: bank, or rank for PREab and REFab
        Candidate(Source source, Command command, std::size_t node)
            : word_(static_cast<std::uint32_t>(source) | static_cast<std::uint32_t>(command) << 8 |
                    static_cast<std::uint32_t>(node) << 16) {}
        [[nodiscard]] Source source() const { return static_cast<Source>(word_ & 255); }
        [[nodiscard]] Command command() const { return static_cast<Command>((word_ >> 8) & 255); }
        [[nodiscard]] std::size_t node() const { return word_ >> 16; }
        [[nodiscard]] bool is_column() const { return command() == Command::read || command() == Command::write; }
        explicit operator bool() const { return word_ != 0; }

      private:
        std::uint32_t word_ = 0;  ///< 0: none (its source is nowhere)
    };
    /// Constraints allow a refresh, or what must come before it, in tick t; else `next` is when they do.
    [[nodiscard]] Candidate maintenance_head(Tick t, Tick& next) const;
    void issue_maintenance(Candidate candidate, Tick t);
    /// True if choosing a queue now would not change the mode. As long as the queues stay as they are, ticks that would
    /// only choose can then be left out.
    [[nodiscard]] bool settled() const {
        return write_mode_ ? writes_.size() > control_.write_low || reads_.empty()
                           : writes_.size() < control_.write_high && !reads_.empty();
    }

    static std::uint64_t bit(std::size_t bank) { return std::uint64_t{1} << bank; }
    [[nodiscard]] RequestQueue const& queue(Source source) const { return source == Source::reads ? reads_ : writes_; }
    RequestQueue& queue(Source source) { return source == Source::reads ? reads_ : writes_; }
    [[nodiscard]] std::uint64_t banks_of(std::size_t rank) const { return rank_banks_ << (rank * banks_per_rank_); }
    [[nodiscard]] bool refresh_waits() const { return maintenance_count_ != 0; }

    Controller control_;
    Timers timers_;
    RequestQueue reads_, writes_;
    std::uint64_t open_ = 0, activating_ = 0, active_ = 0;  ///< banks, one bit each
    std::uint64_t active_writes_ = 0;                       ///< banks that were last opened for a write
    std::array<std::uint32_t, 64> row_{};
    std::array<std::uint64_t, 64> row_address_{};  ///< of the request that opened the row
    std::array<Request, 64> opened_{};             ///< the request a bank was opened for, until it is served
    std::array<std::uint64_t, 64> entered_{};      ///< when it entered the active list, counting entries
    std::uint64_t entries_ = 0;
    bool write_mode_ = false;
    /// Kinds of work a queue offers; for each a tick before which none of it can be ready. Constraints only ever move
    /// later, so a bound holds until a candidate joins, and then falls to that candidate's ready time at most.
    enum class Work : std::uint8_t { column, precharge, activate };
    std::array<std::array<Tick, 3>, 2> not_before_{{{never, never, never}, {never, never, never}}};
    Tick active_not_before_ = never;
    Tick wake_ = 1;
    Tick next_refresh_ = never;

    Tick& bound(Source source, Work work) {
        return not_before_[source == Source::reads ? 0 : 1][static_cast<std::size_t>(work)];
    }
    [[gnu::always_inline]] Tick join(Source source, Work work, Command command, std::size_t bank) {
        Tick& earliest = bound(source, work);
        Tick const ready = timers_.at_bank(command, bank);
        earliest = std::min(earliest, ready);
        return ready;
    }
    /// The bound of a kind, tightened by what its rank or the channel demands.
    [[gnu::always_inline]] Tick tightened(Source source, Work work, Command command) {
        Tick& earliest = bound(source, work);
        return earliest = std::max(earliest, timers_.floor(command));
    }
    [[gnu::always_inline]] void join_precharges(std::size_t bank) {
        join(Source::reads, Work::precharge, Command::precharge, bank);
        join(Source::writes, Work::precharge, Command::precharge, bank);
    }
    void close(std::size_t bank) {
        open_ &= ~bit(bank);
        reads_.closed(bank);
        writes_.closed(bank);
        join(Source::reads, Work::activate, Command::activate, bank);
        join(Source::writes, Work::activate, Command::activate, bank);
    }
    void forget_write(std::uint64_t address) { --written_[filter_index(address)]; }
    static std::size_t filter_index(std::uint64_t address) { return (address * 0x9E3779B97F4A7C15ULL) >> 56; }
    static void append(Request const& request, Tick now, std::uint64_t origin, Signature& out);
    static void shift(Request& request, Jump const& jump);

    std::size_t banks_per_rank_;
    std::uint64_t rank_banks_;
    static constexpr std::size_t most_waiting = 64;
    std::array<std::uint8_t, most_waiting> maintenance_{};  ///< ring of ranks (all-bank) or banks (per-bank) to refresh
    std::size_t maintenance_head_ = 0, maintenance_count_ = 0;
    std::size_t next_refresh_bank_ = 0;
    std::uint64_t accepted_ = 0;
    Tick last_read_done_ = 0, last_completion_ = 0;
    std::array<std::uint16_t, 256> written_{};  ///< how many queued writes hash to each value
    CompletionSink* sink_ = nullptr;
    std::optional<BusWatch> watch_;  ///< only where everything is observed
    Counters counters_;

  private:
    [[nodiscard]] Candidate refresh_command(std::size_t node) const;
};

}  // namespace pimdse::sim::dram
