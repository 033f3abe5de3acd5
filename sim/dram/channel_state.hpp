#pragma once

#include "sim/dram/bus_watch.hpp"
#include "sim/dram/counters.hpp"
#include "sim/dram/mapping.hpp"
#include "sim/dram/renewal.hpp"
#include "sim/dram/request_queue.hpp"
#include "sim/dram/simulate.hpp"
#include "sim/dram/timers.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

namespace pimdse::sim::dram {

/// Told of every completion; only a limited window needs to know.
class CompletionSink {
  public:
    virtual void completes(Tick tick) = 0;

  protected:
    ~CompletionSink() = default;
};

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
    Tick read_latency, activate_deadline, read_clock, write_clock;    ///< nCL + nBL; nAAD; how far RD and WR extend WCK
    Tick refresh_interval;                                            ///< `never` without refresh
    Tick refresh_time;                                                ///< nRFC, or nRFCpb
    Observe observe;
};

/// State of one channel and what all command rules share (dram.md 2.2, 2.3, 2.5, 2.7); the rules themselves are in Channel.
class ChannelState {
  public:
    ChannelState(Standard const& standard, Controller const& controller);

    /// Takes a request in a send phase (`now` ticks done), or refuses because its queue is full (A1-A4).
    bool accept(Transaction const& transaction, Place const& place, Tick now);

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
    struct Candidate {
        Source source = Source::nowhere;
        Command command = Command::activate;
        std::uint8_t node = 0;    ///< bank, or rank for PREab and REFab
        explicit operator bool() const { return source != Source::nowhere; }
        [[nodiscard]] bool is_column() const { return command == Command::read || command == Command::write; }
    };
    enum class Kinds : std::uint8_t { columns, rows, both };

    void queue_due_refreshes(Tick t);
    [[nodiscard]] Candidate best_active(Tick t, Tick& next);
    [[nodiscard]] Candidate maintenance_head(Tick t, Tick& next) const;
    [[nodiscard]] Source choose_queue();
    template <Kinds kinds>
    [[nodiscard]] Candidate best_queued(Source queue, Tick t, Tick& next);
    void issue_column(Candidate const& candidate, Tick t);
    void issue_precharge(Candidate const& candidate, Tick t);
    void issue_maintenance(Candidate const& candidate, Tick t);
    /// Takes the oldest request of a closed bank out of its queue and times its ACT.
    Request take_for_activation(Candidate const& candidate, Tick t);
    void open(std::size_t bank, Request const& request);

    static std::uint64_t bit(std::size_t bank) { return std::uint64_t{1} << bank; }
    [[nodiscard]] RequestQueue const& queue(Source source) const { return source == Source::reads ? reads_ : writes_; }
    RequestQueue& queue(Source source) { return source == Source::reads ? reads_ : writes_; }
    [[nodiscard]] std::uint64_t banks_of(std::size_t rank) const { return rank_banks_ << (rank * banks_per_rank_); }
    /// Order of the active list: arrival, then entry.
    [[nodiscard]] bool entered_before(std::size_t a, std::size_t b) const {
        return opened_[a].arrive < opened_[b].arrive || (opened_[a].arrive == opened_[b].arrive && entered_[a] < entered_[b]);
    }
    [[nodiscard]] bool refresh_waits() const { return maintenance_count_ != 0; }

    Controller control_;
    Timers timers_;
    RequestQueue reads_, writes_;
    std::uint64_t open_ = 0, activating_ = 0, active_ = 0;    ///< banks, one bit each
    std::uint64_t active_writes_ = 0;                         ///< banks that were last opened for a write
    std::array<std::uint32_t, 64> row_{};
    std::array<std::uint64_t, 64> row_address_{};             ///< of the request that opened the row
    std::array<Request, 64> opened_{};                        ///< the request a bank was opened for, until it is served
    std::array<std::uint64_t, 64> entered_{};                 ///< when it entered the active list, counting entries
    std::uint64_t entries_ = 0;
    bool write_mode_ = false;
    /// Kinds of work a queue offers; for each a tick before which none of it can be ready. Constraints only ever move later, so a
    /// bound holds until a candidate joins, and then falls to that candidate's ready time at most.
    enum class Work : std::uint8_t { column, precharge, activate };
    std::array<std::array<Tick, 3>, 2> not_before_{{{never, never, never}, {never, never, never}}};
    Tick active_not_before_ = never;
    Tick wake_ = 1;
    Tick next_refresh_ = never;

  private:
    /// The oldest ready candidate of one kind among `banks`; keeps the kind's bound.
    struct Best {
        Candidate candidate;
        std::uint64_t order = ~std::uint64_t{0};
    };
    template <class SlotOf>
    void scan(Source source, Work work, Command command, std::uint64_t banks, Tick t, Tick& next, Best& best, SlotOf&& slot_of);
    [[nodiscard]] bool protected_by_hit(RequestQueue const& from, std::size_t bank) const;
    Tick& bound(Source source, Work work) { return not_before_[source == Source::reads ? 0 : 1][static_cast<std::size_t>(work)]; }
    void join(Source source, Work work, Command command, std::size_t bank) {
        Tick& earliest = bound(source, work);
        earliest = std::min(earliest, timers_.at_bank(command, bank));
    }
    void join_precharges(std::size_t bank) {
        join(Source::reads, Work::precharge, Command::precharge, bank);
        join(Source::writes, Work::precharge, Command::precharge, bank);
    }
    void join_pushed(Source source, Request const& request);
    void count_read_done(Tick arrive, Tick depart);
    void complete_write(Tick t);
    void close(std::size_t bank);
    void forget_write(std::uint64_t address) { --written_[filter_index(address)]; }
    static std::size_t filter_index(std::uint64_t address) { return (address * 0x9E3779B97F4A7C15ULL) >> 56; }
    [[nodiscard]] Candidate refresh_command(std::size_t node) const;

    std::size_t banks_per_rank_;
    std::uint64_t rank_banks_;
    static constexpr std::size_t most_waiting = 64;
    std::array<std::uint8_t, most_waiting> maintenance_{};    ///< ring of ranks (all-bank) or banks (per-bank) to refresh
    std::size_t maintenance_head_ = 0, maintenance_count_ = 0;
    std::size_t next_refresh_bank_ = 0;
    std::uint64_t accepted_ = 0;
    Tick last_read_done_ = 0, last_completion_ = 0;
    std::array<std::uint16_t, 256> written_{};                ///< how many queued writes hash to each value
    CompletionSink* sink_ = nullptr;
    std::optional<BusWatch> watch_;                           ///< only where everything is observed

  protected:
    Counters counters_;
};

inline void ChannelState::queue_due_refreshes(Tick t) {
    if (t < next_refresh_) [[likely]] return;
    if (watch_) watch_->refresh_due(t);
    next_refresh_ += control_.refresh_interval;
    std::size_t const all = timers_.banks();
    for (std::size_t rank = 0; rank < timers_.ranks(); ++rank) {
        std::size_t const node = control_.refresh == RefreshMode::all_bank ? rank : rank * banks_per_rank_ + next_refresh_bank_;
        maintenance_[(maintenance_head_ + maintenance_count_++) % most_waiting] = static_cast<std::uint8_t>(node);
    }
    next_refresh_bank_ = (next_refresh_bank_ + 1) % (all / timers_.ranks());
    if (maintenance_count_ > most_waiting - timers_.ranks()) [[unlikely]] throw std::logic_error("refreshes pile up");
}

inline ChannelState::Candidate ChannelState::best_active(Tick t, Tick& next) {
    if (active_not_before_ > t) {
        next = std::min(next, active_not_before_);
        return {};
    }
    Candidate best;
    Tick soonest = never;
    for (auto const command : {Command::read, Command::write}) {
        std::uint64_t const banks = command == Command::read ? active_ & ~active_writes_ : active_ & active_writes_;
        if (banks == 0) continue;
        Tick const left_out = timers_.each_allowed(command, banks, t, [&](std::size_t bank, Tick ready) {
            soonest = std::min(soonest, ready);
            if (ready <= t && (!best || entered_before(bank, best.node))) best = {Source::active, command, static_cast<std::uint8_t>(bank)};
        });
        soonest = std::min(soonest, left_out);
    }
    active_not_before_ = soonest;
    next = std::min(next, soonest);
    return best;
}

inline ChannelState::Source ChannelState::choose_queue() {
    if (!write_mode_) {
        write_mode_ = writes_.size() >= control_.write_high || reads_.empty();
    } else if (writes_.size() <= control_.write_low && !reads_.empty()) {
        write_mode_ = false;
    }
    return write_mode_ ? Source::writes : Source::reads;
}

inline bool ChannelState::protected_by_hit(RequestQueue const& from, std::size_t bank) const {
    return control_.scheduler == Scheduler::frfcfs_row_hit && (from.hits() & bit(bank)) != 0 && from[from.oldest_hit(bank)].arrive <= from[from.oldest_miss(bank)].arrive;
}

template <class SlotOf>
void ChannelState::scan(Source source, Work work, Command command, std::uint64_t banks, Tick t, Tick& next, Best& best, SlotOf&& slot_of) {
    Tick& earliest = bound(source, work);
    if (earliest <= t) {
        Tick soonest = never;
        auto const& from = queue(source);
        Tick const left_out = timers_.each_allowed(command, banks, t, [&](std::size_t bank, Tick ready) {
            soonest = std::min(soonest, ready);
            if (ready > t) return;
            if (auto const order = from[slot_of(bank)].order; order < best.order) best = {{source, command, static_cast<std::uint8_t>(bank)}, order};
        });
        earliest = std::min(soonest, left_out);
    }
    next = std::min(next, earliest);
}

template <ChannelState::Kinds kinds>
ChannelState::Candidate ChannelState::best_queued(Source source, Tick t, Tick& next) {
    auto const& from = queue(source);
    Best best;
    if constexpr (kinds != Kinds::rows) {
        scan(source, Work::column, source == Source::reads ? Command::read : Command::write, from.hits(), t, next, best, [&](std::size_t bank) { return from.oldest_hit(bank); });
    }
    if constexpr (kinds != Kinds::columns) {
        if (bound(source, Work::precharge) <= t) {
            std::uint64_t banks = from.misses() & ~active_;
            if (control_.scheduler == Scheduler::frfcfs_row_hit) {
                for (std::uint64_t rest = banks & from.hits(); rest != 0; rest &= rest - 1) {
                    auto const bank = static_cast<std::size_t>(std::countr_zero(rest));
                    if (protected_by_hit(from, bank)) banks &= ~bit(bank);
                }
            }
            scan(source, Work::precharge, Command::precharge, banks, t, next, best, [&](std::size_t bank) { return from.oldest_miss(bank); });
        } else {
            next = std::min(next, bound(source, Work::precharge));
        }
        // Only one request may be between ACT1 and ACT2.
        if (activating_ == 0) {
            scan(source, Work::activate, Command::activate, from.waiting() & ~open_, t, next, best, [&](std::size_t bank) { return from.oldest(bank); });
        }
    }
    return best.candidate;
}

}  // namespace pimdse::sim::dram
