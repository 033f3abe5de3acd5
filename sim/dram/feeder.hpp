#pragma once

#include "sim/base/check.hpp"
#include "sim/dram/alike.hpp"
#include "sim/dram/channel.hpp"
#include "sim/dram/counters.hpp"
#include "sim/dram/family.hpp"
#include "sim/dram/renewal.hpp"
#include "sim/dram/request_queue.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace pimdse::sim::dram {

/// How far a front end and its channels have come.
struct Progress {
    Tick now = 0;
    std::uint64_t request = 0;
    Counters counters;
};

/// What is asked of a stream that ends here.
struct Ended {
    Tick cycles = 0;
    std::uint64_t activates = 0;
};

/// What one front end showed while a stretch was sent: its progress at the first and the last refresh deadline after so
/// many requests of `warm_up` (where there are not two of them: at the start, or the first, and at the end), and how
/// long its channels went on after the last request was sent.
struct Watched {
    Progress from, to;
    bool whole_laps = false;  ///< from deadline to deadline
    Tick after_the_last = 0;
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

    /// Instead of run() and settle(): for each of these lengths, ascending and at most the stream's, when the stream
    /// would end if it had only so many requests, and how many rows it would have opened. A copy of the channels is
    /// emptied where the next request is not among them.
    [[nodiscard]] std::vector<Ended> run_prefixes(std::span<std::uint64_t const> lengths);

    /// Requests of the stream that were left out by renewal.
    [[nodiscard]] std::uint64_t skipped() const { return skipped_; }

  private:
    static constexpr auto no_request = ~std::uint64_t{0};

    /// Sends the whole stream.
    void send_all() { work_.options.window > 0 ? run_windowed() : run_unlimited(); }
    void run_unlimited();
    /// Sends these requests; false if a skip came in between.
    bool send(std::span<Numbered const> block);
    void run_windowed();
    /// One send phase under the window; true if it ended because of the tries per cycle.
    bool send_phase();
    void advance(Channel<family>& channel, Tick until) {
        while (channel.wake() <= until) channel.tick(channel.wake());
    }
    /// Ticks until the channel takes the request: nothing behind it may overtake.
    void insist(Channel<family>& channel, Transaction const& transaction, Place const& place);
    /// When request next_ arrives: now, unless the stream says when.
    [[nodiscard]] Tick arrival() const { return timed_ ? work_.stream.arrival(next_) : now_; }
    /// Called between two requests at a refresh deadline (without refresh: at a multiple of the stream's period); false
    /// if the block of requests in hand is no longer the one to go on with.
    bool pass_milestone();
    void await_milestone();
    void note_deadline() { (deadlines_++ == 0 ? noted_.from : noted_.to) = progress(); }
    [[nodiscard]] Progress progress();
    /// Notes all prefixes that end before request `next`.
    void note_prefixes(std::uint64_t next);
    [[nodiscard]] Ended ended() const;
    [[nodiscard]] std::uint64_t first_prefix() const { return prefixes_.empty() ? no_request : prefixes_.front(); }
    void look_for_renewal();
    void skip();

    Work work_;
    bool timed_;  ///< requests have arrivals
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
    std::span<std::uint64_t const> prefixes_;       ///< lengths that are still to come
    std::vector<Ended> ended_;                      ///< at those that were
    Tick milestone_tick_ = never;                   ///< the next milestone is at this time,
    std::uint64_t phase_request_ = no_request;      ///< or where the stream comes back to its phase,
    std::uint64_t milestone_request_ = no_request;  ///< or there or where a prefix ends
};

template <Family family>
Feeder<family>::Feeder(Work const& work, std::size_t first, std::size_t count)
    : work_(work),
      timed_(work.stream.timed()),
      first_(first),
      renewal_(work.mapping, work.stream, work.options),
      lap_(refresh_round(work.standard, work.options.refresh)) {
    Controller const controller(work.standard, work.options);
    channels_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) channels_.emplace_back(work.standard, controller);
    if (work.options.window > 0) {
        for (auto& channel : channels_) channel.report_to(&completions_);
    }
    if (renewal_.possible()) {
        if (work.options.refresh == RefreshMode::none)
            milestone_request_ = phase_request_ = renewal_.period();
        else
            milestone_tick_ = 0;
    }
}

template <Family family>
Tick Feeder<family>::run() {
    send_all();
    Tick end = last_acceptance_ + 1;
    for (auto& channel : channels_) {
        while (!channel.drained()) {
            ensures(channel.wake() < never, "a channel with requests has something to do");
            channel.tick(channel.wake());
        }
        end = std::max(end, channel.last_completion());
    }
    return end;
}

template <Family family>
Counters Feeder<family>::settle(Tick end) {
    Counters sum;
    for (auto& channel : channels_) {
        advance(channel, end);
        channel.finish(end);
        sum.add(channel.counters());
    }
    sum.cycles = end;
    return sum;
}

template <Family family>
Watched Feeder<family>::watch(std::uint64_t warm_up) {
    watch_from_ = warm_up;
    renewal_.give_up();
    milestone_request_ = phase_request_ = no_request;
    milestone_tick_ = lap_;
    send_all();
    noted_.whole_laps = deadlines_ >= 2;
    // A front end whose channels are hardly asked is through before its time.
    if (!noted_.whole_laps) noted_.to = progress();
    Tick const sent = now_;
    noted_.after_the_last = run() - sent;
    return std::move(noted_);
}

template <Family family>
void Feeder<family>::run_unlimited() {
    Share const share(work_.mapping, work_.stream, first_, channels_.size());
    std::array<Numbered, Share::most_requests> block;
    while (next_ < work_.stream.size()) {
        auto const part = share.fill(next_, block);
        if (send(part.requests)) next_ = part.behind;
    }
}

template <Family family>
bool Feeder<family>::send(std::span<Numbered const> block) {
    for (auto const& [number, transaction, place] : block) {
        next_ = number;
        if (tried_ == work_.options.tries) {
            ++now_;
            tried_ = 0;
        }
        if (timed_ && work_.stream.arrival(next_) > now_) {
            now_ = work_.stream.arrival(next_);
            tried_ = 0;
        }
        if (now_ >= milestone_tick_ || next_ >= milestone_request_) [[unlikely]] {
            if (!pass_milestone()) return false;
        }
        auto& channel = channels_[place.channel - first_];
        advance(channel, now_);
        if (!channel.accept(transaction, place, now_, arrival())) insist(channel, transaction, place);
        last_acceptance_ = now_;
        ++tried_;
    }
    return true;
}

template <Family family>
void Feeder<family>::insist(Channel<family>& channel, Transaction const& transaction, Place const& place) {
    do {
        now_ = channel.wake();
        ensures(now_ < never, "a full channel has something to do");
        channel.tick(now_);
        // A deadline is a tick of every channel, so it is met here exactly, however long the refresh then takes.
        if (watch_from_ && now_ >= milestone_tick_) pass_milestone();
    } while (!channel.accept(transaction, place, now_, arrival()));
    tried_ = 0;
}

template <Family family>
void Feeder<family>::run_windowed() {
    while (next_ < work_.stream.size()) {
        if (now_ >= milestone_tick_ && !pass_milestone()) return;
        Tick soonest = send_phase() ? now_ + 1 : completions_.next();
        if (next_ >= work_.stream.size()) return;
        for (auto const& channel : channels_) soonest = std::min(soonest, channel.wake());
        if (arrival() > now_) soonest = std::min(soonest, arrival());
        ensures(soonest < never, "a blocked front end waits for something");
        now_ = std::max(now_ + 1, soonest);
        for (auto& channel : channels_) {
            if (channel.wake() <= now_) channel.tick(now_);
        }
    }
}

template <Family family>
bool Feeder<family>::send_phase() {
    for (tried_ = 0; next_ < work_.stream.size(); ++next_) {
        auto const transaction = work_.stream.at(next_);
        Place const place = work_.mapping.place(transaction.address);
        std::size_t const index = place.channel - first_;
        if (index >= channels_.size()) continue;
        if (tried_ == work_.options.tries) return true;
        if (arrival() > now_) return false;
        outstanding_ -= completions_.take(now_);
        if (outstanding_ >= static_cast<std::uint64_t>(work_.options.window)) return false;
        ++outstanding_;
        if (!channels_[index].accept(transaction, place, now_, arrival())) {
            --outstanding_;
            return false;
        }
        last_acceptance_ = now_;
        ++tried_;
    }
    return false;
}

template <Family family>
bool Feeder<family>::pass_milestone() {
    note_prefixes(next_);
    bool const due = now_ >= milestone_tick_ || next_ >= phase_request_;
    auto const before = next_;
    if (due && watch_from_) {
        if (next_ >= *watch_from_) note_deadline();
    } else if (due && renewal_.wants(next_)) {
        look_for_renewal();
    }
    if (due) await_milestone();
    milestone_request_ = std::min(phase_request_, first_prefix());
    return next_ == before;
}

template <Family family>
void Feeder<family>::await_milestone() {
    bool const by_time = watch_from_ || (renewal_.possible() && work_.options.refresh != RefreshMode::none);
    bool const by_phase = renewal_.possible() && work_.options.refresh == RefreshMode::none && !watch_from_;
    milestone_tick_ = by_time ? (now_ / lap_ + 1) * lap_ : never;
    phase_request_ = by_phase ? (next_ / renewal_.period() + 1) * renewal_.period() : no_request;
}

template <Family family>
Progress Feeder<family>::progress() {
    Progress progress{now_, next_, {}};
    for (auto& channel : channels_) {
        if (work_.options.window == 0) advance(channel, now_);
        progress.counters.add(channel.counters());
    }
    return progress;
}

template <Family family>
void Feeder<family>::look_for_renewal() {
    Origin const origin{next_ / renewal_.period() * renewal_.bytes_per_period(), renewal_.bit(), work_.mapping};
    signature_.state.assign({next_ % renewal_.period(), static_cast<std::uint64_t>(tried_)});
    signature_.arrivals.clear();
    for (auto& channel : channels_) {
        advance(channel, now_);
        channel.append_signature(now_, origin, signature_);
    }
    auto const verdict = renewal_.look({now_, next_}, signature_);
    if (verdict == Renewal::Verdict::suspected) {
        counted_.clear();
        for (auto const& channel : channels_) counted_.push_back(channel.counters());
    } else if (verdict == Renewal::Verdict::renewed) {
        skip();
    }
}

template <Family family>
void Feeder<family>::skip() {
    auto const orbit = renewal_.orbit();
    // The last request stays outside: its refusals are part of an orbit only if it exists.
    std::uint64_t const times = (std::min(work_.stream.size(), first_prefix()) - 1 - next_) / orbit.request;
    Jump const jump{static_cast<Tick>(times) * orbit.now,
                    times * (orbit.request / renewal_.period()) * renewal_.bytes_per_period(), times, work_.mapping};
    for (std::size_t i = 0; i < channels_.size(); ++i) channels_[i].skip(jump, counted_[i]);
    now_ += jump.ticks;
    last_acceptance_ += jump.ticks;
    next_ += times * orbit.request;
    skipped_ += times * orbit.request;
    renewal_.go_on({now_, next_});
    for (std::size_t i = 0; i < channels_.size(); ++i) counted_[i] = channels_[i].counters();
}

template <Family family>
std::vector<Ended> Feeder<family>::run_prefixes(std::span<std::uint64_t const> lengths) {
    prefixes_ = lengths;
    milestone_request_ = std::min(milestone_request_, lengths.front());
    send_all();
    note_prefixes(work_.stream.size());
    return std::move(ended_);
}

template <Family family>
void Feeder<family>::note_prefixes(std::uint64_t next) {
    if (prefixes_.empty() || prefixes_.front() > next) return;
    auto const now = ended();
    while (!prefixes_.empty() && prefixes_.front() <= next) {
        ended_.push_back(now);
        prefixes_ = prefixes_.subspan(1);
    }
}

template <Family family>
Ended Feeder<family>::ended() const {
    Ended sum{last_acceptance_ + 1, 0};
    for (auto channel : channels_) {
        while (!channel.drained()) channel.tick(channel.wake());
        sum.cycles = std::max(sum.cycles, channel.last_completion());
        sum.activates += channel.counters().activates;
    }
    return sum;
}

}  // namespace pimdse::sim::dram
