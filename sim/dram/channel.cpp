#include "sim/dram/channel.hpp"

#include <bit>
#include <stdexcept>
#include <utility>

namespace pimdse::sim::dram {

ControllerSettings::ControllerSettings(Standard const& standard, Options const& options)
    : family(standard.family),
      refresh(options.refresh),
      scheduler(options.scheduler),
      depth(options.queue_depth),
      write_high(
          static_cast<std::size_t>(options.write_high > 0 ? options.write_high : (options.queue_depth * 4 + 4) / 5)),
      write_low(static_cast<std::size_t>(options.write_low > 0 ? options.write_low : options.queue_depth / 5)),
      read_latency(standard.timing.read_latency()),
      activate_deadline(standard.timing.nAAD),
      read_clock(standard.timing.nCL + standard.timing.nBL + standard.timing.nWCKPST),
      write_clock(standard.timing.nCWL + standard.timing.nBL + standard.timing.nWCKPST),
      refresh_interval(options.refresh == RefreshMode::none       ? never
                       : options.refresh == RefreshMode::all_bank ? standard.timing.nREFI
                                                                  : standard.timing.nREFIpb),
      refresh_round(options.refresh == RefreshMode::none ? never : dram::refresh_round(standard, options.refresh)),
      refresh_time(options.refresh == RefreshMode::per_bank ? standard.timing.nRFCpb : standard.timing.nRFC),
      refreshed_at_once(static_cast<std::size_t>(dram::refreshed_at_once(standard, options.refresh))),
      observe(options.observe) {}

Channel::Channel(Standard const& standard, ControllerSettings const& settings)
    : settings_(settings),
      timers_(standard),
      reads_(settings.depth),
      writes_(settings.depth),
      next_refresh_(settings.refresh_interval),
      banks_per_rank_(timers_.banks() / timers_.ranks()),
      rank_banks_(banks_per_rank_ == 64 ? ~std::uint64_t{0} : bit(banks_per_rank_) - 1) {
    if (settings_.observe == Observe::everything) bus_.emplace(standard);
}

// Accepting a request.

bool Channel::accept(Transaction const& transaction, Place const& place, Tick now, Tick arrived) {
    bool const is_read = transaction.access == Access::read;
    if (!writes_.empty() && queued_writes_[filter_index(transaction.address)] != 0 &&
        writes_.holds(place.bank, transaction.address)) {
        if (is_read) {
            ++counters_.forwarded;
            count_read_done(arrived, now + 1);
        } else {
            ++counters_.coalesced;
            ++counters_.writes;
            if (completions_ != nullptr) completions_->add(now);
        }
        return true;
    }
    auto const source = is_read ? Source::reads : Source::writes;
    auto& into = queue(source);
    if (into.full()) return false;
    Request const request{transaction.address, arrived, accepted_++, place.row, static_cast<std::uint8_t>(place.bank),
                          transaction.access,  false};
    into.push(request, (open_ & bit(place.bank)) != 0, row_[place.bank]);
    Tick const ready = offer_request(source, request);
    if (!is_read) ++queued_writes_[filter_index(transaction.address)];
    wake_ = std::min(wake_, after_acceptance(source, ready, now));
    return true;
}

inline Tick Channel::offer_request(Source source, Request const& request) {
    std::size_t const bank = request.bank;
    if ((open_ & bit(bank)) == 0) return offer(source, Work::activate, Command::activate, bank);
    if (request.row == row_[bank])
        return offer(source, Work::column, request.access == Access::read ? Command::read : Command::write, bank);
    return offer(source, Work::precharge, Command::precharge, bank);
}

Tick Channel::after_acceptance(Source source, Tick ready, Tick now) const {
    if (refresh_pending() || !write_mode_is_stable()) return now + 1;
    bool const examined = (source == Source::writes) == write_mode_;
    return examined ? std::max(now + 1, ready) : never;
}

// Choosing a command.

[[gnu::always_inline]] inline Channel::Candidate Channel::oldest_active(Tick t, Tick& next) {
    if (active_not_before_ > t) {
        next = std::min(next, active_not_before_);
        return {};
    }
    Candidate best;
    Tick soonest = never, oldest = never;
    std::uint64_t first_in = 0;
    for (auto const command : {Command::read, Command::write}) {
        std::uint64_t const banks = command == Command::read ? active_ & ~active_writes_ : active_ & active_writes_;
        if (banks == 0) continue;
        std::size_t chosen = 64;
        // Order of the active list: arrival, then position. Without branches, as in find_oldest_ready.
        Tick const left_out = timers_.each_allowed(command, banks, t, [&](std::size_t bank, Tick ready) {
            Tick const arrive = ready <= t ? active_request_[bank].arrive : never;
            bool const before = (arrive < oldest) | ((arrive == oldest) & (active_position_[bank] < first_in));
            soonest = std::min(soonest, ready);
            chosen = before ? bank : chosen;
            first_in = before ? active_position_[bank] : first_in;
            oldest = before ? arrive : oldest;
        });
        if (chosen < 64) best = {Source::active, command, chosen};
        soonest = std::min(soonest, left_out);
    }
    active_not_before_ = soonest;
    next = std::min(next, soonest);
    return best;
}

Channel::Source Channel::choose_queue() {
    if (!write_mode_) {
        write_mode_ = writes_.size() >= settings_.write_high || reads_.empty();
    } else if (writes_.size() <= settings_.write_low && !reads_.empty()) {
        write_mode_ = false;
    }
    return write_mode_ ? Source::writes : Source::reads;
}

/// Looks among `banks`, whose candidates have these ages, for one that is ready and older than `best`. Updates the
/// bound of this work.
[[gnu::always_inline]] inline void Channel::find_oldest_ready(Source source, Work work, Command command,
                                                              std::uint64_t banks, RequestQueue::Ages const& ages,
                                                              Tick t, Tick& next, OldestReady& best) {
    Tick& earliest = not_before(source, work);
    if (earliest <= t) {
        Tick soonest = never;
        std::uint64_t oldest = best.age;
        // Arithmetic instead of branches, because which bank is ready and older cannot be predicted.
        Tick const left_out = timers_.each_allowed(command, banks, t, [&](std::size_t bank, Tick ready) {
            std::uint64_t const not_ready = -static_cast<std::uint64_t>(ready > t);
            soonest = std::min(soonest, ready);
            oldest = std::min(oldest, ages[bank] | not_ready);
        });
        if (oldest != best.age) best = {{source, command, oldest % RequestQueue::max_banks}, oldest};
        earliest = std::min(soonest, left_out);
    }
    next = std::min(next, earliest);
}

/// With row-hit scheduling a row stays open while an older request hits it.
inline bool Channel::protected_by_hit(RequestQueue const& from, std::size_t bank) const {
    return settings_.scheduler == Scheduler::frfcfs_row_hit && (from.hits() & bit(bank)) != 0 &&
           from[from.oldest_hit(bank)].arrive <= from[from.oldest_miss(bank)].arrive;
}

template <Channel::CommandBus bus>
inline Channel::Candidate Channel::oldest_queued(Source source, Tick t, Tick& next) {
    auto const& from = queue(source);
    OldestReady best;
    if constexpr (bus != CommandBus::row) {
        find_oldest_ready(source, Work::column, source == Source::reads ? Command::read : Command::write, from.hits(),
                          from.hit_ages(), t, next, best);
    }
    if constexpr (bus != CommandBus::column) {
        if (not_before(source, Work::precharge) <= t) {
            std::uint64_t banks = from.misses() & ~active_;
            if (settings_.scheduler == Scheduler::frfcfs_row_hit) {
                for (std::uint64_t rest = banks & from.hits(); rest != 0; rest &= rest - 1) {
                    auto const bank = static_cast<std::size_t>(std::countr_zero(rest));
                    if (protected_by_hit(from, bank)) banks &= ~bit(bank);
                }
            }
            find_oldest_ready(source, Work::precharge, Command::precharge, banks, from.miss_ages(), t, next, best);
        } else {
            next = std::min(next, not_before(source, Work::precharge));
        }
        // Only one request may be between ACT1 and ACT2.
        if (half_open_ == 0) {
            find_oldest_ready(source, Work::activate, Command::activate, from.waiting() & ~open_, from.ages(), t, next,
                              best);
        }
    }
    return best.candidate;
}

/// The PRE, PREab, REFab or REFpb that the oldest pending refresh needs next.
Channel::Candidate Channel::refresh_command(std::size_t node) const {
    if (settings_.refresh == RefreshMode::all_bank) {
        bool const closed = ((open_ | half_open_) & banks_of(node)) == 0;
        return {Source::refresh, closed ? Command::refresh_all : Command::precharge_all, node};
    }
    bool const closed = ((open_ | half_open_) & bit(node)) == 0;
    return {Source::refresh, closed ? Command::refresh_bank : Command::precharge, node};
}

Channel::Candidate Channel::refresh_candidate(Tick t, Tick& next) const {
    auto const head = refresh_command(refresh_queue_[refresh_head_]);
    bool const whole_rank = settings_.refresh == RefreshMode::all_bank;
    std::uint64_t const touched = whole_rank ? banks_of(head.node()) : bit(head.node());
    // A row that was opened for a request stays open until the request is served; a half-open bank cannot be closed.
    if (((active_ | half_open_) & touched) != 0) return {};
    Tick const ready =
        whole_rank ? timers_.at_rank(head.command(), head.node()) : timers_.at_bank(head.command(), head.node());
    if (ready <= t) return head;
    next = std::min(next, ready);
    return {};
}

inline void Channel::queue_due_refreshes(Tick t) {
    if (t < next_refresh_) [[likely]]
        return;
    if (bus_) bus_->refresh_due(t);
    next_refresh_ += settings_.refresh_interval;
    for (std::size_t at_once = 0; at_once < settings_.refreshed_at_once; ++at_once) {
        std::size_t const node =
            settings_.refresh == RefreshMode::all_bank ? at_once : at_once * banks_per_rank_ + next_refresh_bank_;
        refresh_queue_[(refresh_head_ + refresh_count_++) % max_refreshes] = static_cast<std::uint8_t>(node);
    }
    next_refresh_bank_ = (next_refresh_bank_ + 1) % (timers_.banks() / settings_.refreshed_at_once);
    if (refresh_count_ > max_refreshes - timers_.ranks()) [[unlikely]]
        throw std::logic_error("more refreshes are pending than the queue holds");
}

/// The next cycle worth running after a command was issued in cycle t, if no bank is half open.
[[gnu::always_inline]] inline Tick Channel::after_issue(Tick t) {
    if (refresh_pending() || !write_mode_is_stable()) return t + 1;
    Tick next = next_refresh_;
    if (active_ != 0) {
        Tick floor = never;
        if ((active_ & ~active_writes_) != 0) floor = timers_.floor(Command::read);
        if ((active_ & active_writes_) != 0) floor = std::min(floor, timers_.floor(Command::write));
        active_not_before_ = std::max(active_not_before_, floor);
        next = std::min(next, active_not_before_);
    }
    auto const source = write_mode_ ? Source::writes : Source::reads;
    auto const& from = queue(source);
    if (from.hits() != 0)
        next = std::min(next, tighten(source, Work::column, write_mode_ ? Command::write : Command::read));
    if ((from.misses() & ~active_) != 0) next = std::min(next, tighten(source, Work::precharge, Command::precharge));
    if ((from.waiting() & ~open_) != 0) next = std::min(next, tighten(source, Work::activate, Command::activate));
    return std::max(t + 1, next);
}

// Issuing a command.

[[gnu::always_inline]] inline void Channel::open(std::size_t bank, Request const& request) {
    open_ |= bit(bank);
    active_ |= bit(bank);
    active_writes_ = request.access == Access::write ? active_writes_ | bit(bank) : active_writes_ & ~bit(bank);
    row_[bank] = request.row;
    row_address_[bank] = request.address;
    active_request_[bank] = request;
    active_position_[bank] = activations_++;
    reads_.open_row(bank, request.row);
    writes_.open_row(bank, request.row);
    active_not_before_ = std::min(
        active_not_before_, timers_.at_bank(request.access == Access::read ? Command::read : Command::write, bank));
    offer(Source::reads, Work::column, Command::read, bank);
    offer(Source::writes, Work::column, Command::write, bank);
    offer_precharges(bank);
}

inline void Channel::close(std::size_t bank) {
    open_ &= ~bit(bank);
    reads_.close_row(bank);
    writes_.close_row(bank);
    offer(Source::reads, Work::activate, Command::activate, bank);
    offer(Source::writes, Work::activate, Command::activate, bank);
}

/// Removes the oldest request of a closed bank from its queue and issues its ACT.
[[gnu::always_inline]] inline Request Channel::take_for_activation(Candidate candidate, Tick t) {
    auto& from = queue(candidate.source());
    Request const request = from[from.oldest(candidate.node())];
    from.remove_oldest(candidate.node());
    if (request.access == Access::write) forget_write(request.address);
    if (!request.counted) ++counters_.misses;
    ++counters_.row_activations;
    if (bus_) bus_->activate(timers_, candidate.node(), t);
    timers_.issue_at_bank(Command::activate, candidate.node(), t);
    return request;
}

inline void Channel::issue_precharge(Candidate candidate, Tick t) {
    auto& from = queue(candidate.source());
    auto const slot = from.oldest_miss(candidate.node());
    if (!from[slot].counted) {
        ++counters_.conflicts;
        from.mark_counted(slot);
    }
    ++counters_.precharges;
    timers_.issue_at_bank(Command::precharge, candidate.node(), t);
    close(candidate.node());
}

inline void Channel::issue_column(Candidate candidate, Tick t) {
    std::size_t const bank = candidate.node();
    bool const is_read = candidate.command() == Command::read;
    Tick arrive;
    if (candidate.source() == Source::active) {
        active_ &= ~bit(bank);
        arrive = active_request_[bank].arrive;
    } else {
        auto& from = queue(candidate.source());
        auto const& request = from[from.oldest_hit(bank)];
        if (!request.counted) ++counters_.hits;
        arrive = request.arrive;
        if (!is_read) forget_write(request.address);
        from.remove_hit(bank);
    }
    if (bus_) bus_->column(timers_, candidate.command(), bank, arrive, t, counters_);
    timers_.issue_at_bank(candidate.command(), bank, t);
    offer_precharges(bank);
    if (is_read) {
        ++counters_.read_commands;
        count_read_done(arrive, t + settings_.read_latency);
    } else {
        ++counters_.write_commands;
        count_write_done(t);
    }
}

[[gnu::always_inline]] inline void Channel::count_read_done(Tick arrive, Tick depart) {
    ++counters_.reads;
    counters_.latency_sum += static_cast<std::uint64_t>(depart - arrive);
    if (bus_) counters_.latencies.add(depart - arrive);
    last_read_done_ = std::max(last_read_done_, depart);
    last_completion_ = std::max(last_completion_, last_read_done_);
    if (completions_ != nullptr) completions_->add(last_read_done_);
}

inline void Channel::count_write_done(Tick t) {
    ++counters_.writes;
    last_completion_ = std::max(last_completion_, t);
    if (completions_ != nullptr) completions_->add(t);
}

void Channel::issue_refresh_command(Candidate candidate, Tick t) {
    switch (candidate.command()) {
        case Command::precharge_all:
            timers_.issue_at_rank(Command::precharge_all, candidate.node(), t);
            for (std::uint64_t rest = open_ & banks_of(candidate.node()); rest != 0; rest &= rest - 1)
                close(static_cast<std::size_t>(std::countr_zero(rest)));
            ++counters_.precharge_alls;
            return;
        case Command::precharge:
            timers_.issue_at_bank(Command::precharge, candidate.node(), t);
            close(candidate.node());
            ++counters_.precharges;
            return;
        case Command::refresh_all:
            timers_.issue_at_rank(Command::refresh_all, candidate.node(), t);
            break;
        default:
            timers_.issue_at_bank(Command::refresh_bank, candidate.node(), t);
            break;
    }
    bool const whole_rank = candidate.command() == Command::refresh_all;
    if (bus_)
        bus_->refresh_issued(whole_rank ? candidate.node() : timers_.rank_of(candidate.node()), t,
                             t + settings_.refresh_time);
    refresh_head_ = (refresh_head_ + 1) % max_refreshes;
    --refresh_count_;
    ++counters_.refreshes;
}

// Command rules of the families.

/// One command per cycle: the active list first, then a pending refresh, then a queue.
inline Channel::Candidate Channel::choose(Tick t, Tick& next) {
    if (auto const active = oldest_active(t, next)) return active;
    if (refresh_pending()) return refresh_candidate(t, next);
    return oldest_queued<CommandBus::shared>(choose_queue(), t, next);
}

inline void Channel::issue_row(Candidate chosen, Tick t) {
    if (chosen.source() == Source::refresh) return issue_refresh_command(chosen, t);
    if (chosen.command() == Command::precharge) return issue_precharge(chosen, t);
    open(chosen.node(), take_for_activation(chosen, t));
}

inline void Channel::tick_ddr4(Tick t) {
    queue_due_refreshes(t);
    Tick next = next_refresh_;
    Candidate const chosen = choose(t, next);
    if (chosen) chosen.is_column() ? issue_column(chosen, t) : issue_row(chosen, t);
    wake_ = chosen ? after_issue(t) : next;
}

/// A column and a row command per cycle, the column command first. The pseudo channels share both buses.
inline void Channel::tick_hbm2(Tick t) {
    queue_due_refreshes(t);
    Tick next = next_refresh_;
    Candidate column = oldest_active(t, next);
    if (!column && !refresh_pending()) column = oldest_queued<CommandBus::column>(choose_queue(), t, next);
    if (column) issue_column(column, t);
    Candidate const row =
        refresh_pending() ? refresh_candidate(t, next) : oldest_queued<CommandBus::row>(choose_queue(), t, next);
    if (row) issue_row(row, t);
    wake_ = column || row ? after_issue(t) : next;
}

/// Activation takes two commands, and the data clock (WCK) must run before a burst: a CAS precedes the RD or WR if the
/// clock has stopped.
inline void Channel::tick_lpddr5(Tick t) {
    queue_due_refreshes(t);
    Tick next = next_refresh_;
    bool const issued = issue_one_lpddr5(t, next);
    wake_ = !issued ? next : synchronising_ || half_open_ != 0 ? t + 1 : after_issue(t);
}

inline bool Channel::issue_one_lpddr5(Tick t, Tick& next) {
    if (synchronising_) {
        Candidate const chosen = synchronising_;
        synchronising_ = {};
        ++counters_.clock_syncs;
        issue_column_lpddr5(chosen, t);
        return true;
    }
    bool const half_open = half_open_ != 0;
    if (half_open && deadline_ <= t) return finish_activation();
    Candidate const chosen = choose(t, next);
    if (!chosen) return half_open && finish_activation();
    if (!chosen.is_column()) {
        issue_row_lpddr5(chosen, t);
        return true;
    }
    if (t < clock_until_) {
        issue_column_lpddr5(chosen, t);
        return true;
    }
    // A CAS takes this cycle and the RD or WR the next: a half-open bank must not miss its deadline meanwhile.
    if (half_open && deadline_ <= t + 1) return finish_activation();
    synchronising_ = chosen;
    return true;
}

inline void Channel::issue_row_lpddr5(Candidate chosen, Tick t) {
    if (chosen.source() == Source::refresh) return issue_refresh_command(chosen, t);
    if (chosen.command() == Command::precharge) return issue_precharge(chosen, t);
    half_open_request_ = take_for_activation(chosen, t);
    half_open_ = bit(chosen.node());
    deadline_ = t + settings_.activate_deadline;
}

/// Issues the ACT2.
inline bool Channel::finish_activation() {
    half_open_ = 0;
    open(half_open_request_.bank, half_open_request_);
    return true;
}

inline void Channel::issue_column_lpddr5(Candidate chosen, Tick t) {
    issue_column(chosen, t);
    clock_until_ =
        std::max(clock_until_, t + (chosen.command() == Command::read ? settings_.read_clock : settings_.write_clock));
}

static_assert(family_count == 4, "tick() has the command rules of each family");

// Defined after the rules, so that they are inlined.
void Channel::tick(Tick t) {
    switch (settings_.family) {
        case Family::lpddr5:
            return tick_lpddr5(t);
        case Family::ddr4:
        case Family::gddr6:
            return tick_ddr4(t);
        case Family::hbm2:
            return tick_hbm2(t);
    }
}

// The state as it repeats: signatures, skipped periods of a stream, skipped refreshes of an idle channel.

namespace {

std::uint64_t relative(Tick tick, Tick now) { return static_cast<std::uint64_t>(tick - now); }
std::uint64_t relative_if_later(Tick tick, Tick now) { return tick <= now ? 0 : relative(tick, now); }

void append(Request const& request, SignatureOrigin const& origin, Signature& out) {
    out.state.push_back(request.address - origin.address);
    out.arrivals.push_back(relative(request.arrive, origin.now));
    out.state.push_back((static_cast<std::uint64_t>(request.bank) << 2) | (request.access == Access::write ? 2U : 0U) |
                        (request.counted ? 1U : 0U));
}

/// Requests with their order in a queue or list.
using Ordered = std::vector<std::pair<std::uint64_t, Request const*>>;

/// Only the contents, the order and the relative order of arrivals decide which commands are issued.
void append_in_order(Ordered& requests, SignatureOrigin const& origin, Signature& out) {
    std::sort(requests.begin(), requests.end());
    out.state.push_back(requests.size());
    for (auto const& [order, request] : requests) {
        append(*request, origin, out);
        auto const older = [arrive = request->arrive](auto const& other) { return other.second->arrive < arrive; };
        out.state.push_back(static_cast<std::uint64_t>(std::count_if(requests.begin(), requests.end(), older)));
    }
    requests.clear();
}

void move(Request& request, SkippedPeriods const& skipped) {
    request.arrive += skipped.ticks;
    request.address += skipped.bytes;
    request.row = skipped.mapping.place(request.address).row;
}

/// Calls visit(bank) for every bank of a mask, in ascending order.
template <class Visit>
void each_bank(std::uint64_t banks, Visit&& visit) {
    for (; banks != 0; banks &= banks - 1) visit(static_cast<std::size_t>(std::countr_zero(banks)));
}

}  // namespace

void Channel::append_idle_state(Tick now, std::vector<std::uint64_t>& out) const {
    timers_.append_signature(now, out);
    out.insert(out.end(),
               {open_, half_open_, active_, write_mode_ ? 1U : 0U, refresh_count_,
                settings_.refresh == RefreshMode::per_bank || bus_ ? next_refresh_bank_ : 0,
                relative(next_refresh_ == never ? now : next_refresh_, now), relative_if_later(last_read_done_, now)});
    for (std::size_t i = 0; i < refresh_count_; ++i) out.push_back(refresh_queue_[(refresh_head_ + i) % max_refreshes]);
}

void Channel::append_signature(SignatureOrigin const& origin, Signature& signature) const {
    auto& out = signature.state;
    Tick const now = origin.now;
    append_idle_state(now, out);
    out.push_back(next_refresh_bank_);
    each_bank(open_, [&](std::size_t bank) {
        out.push_back((row_address_[bank] >> origin.bit) - (origin.address >> origin.bit));
        out.push_back(origin.mapping.place(row_address_[bank] & ((std::uint64_t{1} << origin.bit) - 1)).row);
    });
    Ordered requests;
    each_bank(active_,
              [&](std::size_t bank) { requests.emplace_back(active_position_[bank], &active_request_[bank]); });
    append_in_order(requests, origin, signature);
    for (auto const* queue : {&reads_, &writes_}) {
        queue->each([&](Request const& request) { requests.emplace_back(request.order, &request); });
        append_in_order(requests, origin, signature);
    }
    if (bus_) bus_->append_signature(now, signature.arrivals);
    if (settings_.family != Family::lpddr5) return;
    out.insert(out.end(), {relative_if_later(clock_until_, now),
                           synchronising_ ? 1U + static_cast<std::uint64_t>(synchronising_.node()) : 0U,
                           (static_cast<std::uint64_t>(synchronising_.source()) << 8) |
                               static_cast<std::uint64_t>(synchronising_.command())});
    if (half_open_ != 0) {
        append(half_open_request_, origin, signature);
        out.push_back(relative(deadline_, now));
    }
}

void Channel::skip(SkippedPeriods const& skipped, Counters const& earlier) {
    shift(skipped.ticks, -never);
    if (bus_) bus_->shift(skipped.ticks);
    for (auto* queue : {&reads_, &writes_}) queue->each([&](Request& request) { move(request, skipped); });
    queued_writes_.fill(0);
    writes_.each([&](Request const& request) { ++queued_writes_[filter_index(request.address)]; });
    each_bank(active_, [&](std::size_t bank) { move(active_request_[bank], skipped); });
    if (half_open_ != 0) move(half_open_request_, skipped);
    each_bank(open_, [&](std::size_t bank) {
        row_address_[bank] += skipped.bytes;
        row_[bank] = skipped.mapping.place(row_address_[bank]).row;
    });
    for (Tick* tick : {&last_read_done_, &last_completion_, &clock_until_, &deadline_}) *tick += skipped.ticks;
    counters_.repeat(earlier, skipped.periods);
}

void Channel::shift(Tick by, Tick since) {
    timers_.shift(by, since);
    for (auto& bounds : not_before_) {
        for (auto& tick : bounds) tick = tick == never ? never : tick + by;
    }
    for (Tick* tick : {&active_not_before_, &next_refresh_}) {
        if (*tick != never) *tick += by;
    }
    wake_ += by;
}

void Channel::rest(Tick until) {
    while (!drained() && wake_ <= until) tick(wake_);
    Tick const round = settings_.refresh_round;
    auto const state = [this] {
        std::vector<std::uint64_t> words;
        append_idle_state(wake_ - 1, words);
        if (bus_) bus_->append_refreshes(wake_ - 1, words);
        return words;
    };
    while (until - wake_ > round) {
        Tick const from = wake_;
        auto const before = state();
        Counters const counted = counters_;
        while (wake_ < from + round) tick(wake_);
        if (wake_ != from + round || state() != before) continue;
        Tick const rounds = (until - wake_) / round;
        shift(rounds * round, from);
        if (bus_) bus_->shift_refreshes(from, rounds * round);
        counters_.repeat(counted, static_cast<std::uint64_t>(rounds));
    }
}

}  // namespace pimdse::sim::dram
