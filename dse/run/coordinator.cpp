#include "dse/run/coordinator.hpp"

#include "dse/run/chunk_runner.hpp"
#include "dse/run/dispatcher.hpp"
#include "dse/run/liveness.hpp"
#include "dse/run/messages.hpp"
#include "dse/run/visitors.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

namespace pimdse::dse::run {
namespace {

using Clock = std::chrono::steady_clock;

/// Hands out work to the threads of this process and, in a job of several ranks, to the others.
class Coordinator final : public Pool {
  public:
    /// `ranks`: nullptr where this process is alone.
    Coordinator(Communicator* ranks, space::Space const& space, WorkSettings const& settings)
        : ranks_(ranks),
          settings_(settings),
          runner_(space, settings, 0),
          heard_(static_cast<std::size_t>(workers()), 0.0) {}

    int threads() const override { return settings_.threads; }

    void evaluate(Work const& work, std::stop_token stop) override {
        Dispatcher dispatcher(work, {.workers = workers(), .largest_chunk = settings_.largest_chunk});
        (void)time_.turn();
        std::fill(heard_.begin(), heard_.end(), time_.seconds());  // until now nobody listened
        BackOff back_off;
        while (!dispatcher.done()) {
            if (stop.stop_requested()) recall(dispatcher);
            bool const busy = hand_out(dispatcher, work) | take_own(dispatcher, work) |
                              take_messages(dispatcher, work) | take_from_visitors(dispatcher, work);
            busy ? back_off.something_happened() : back_off.nothing_happened();
            watch_over_workers(dispatcher);
            if (work.tick) work.tick();
        }
    }

  private:
    [[nodiscard]] int workers() const { return ranks_ != nullptr ? ranks_->size() : 1; }

    /// Points that nobody has begun are not begun any more.
    void recall(Dispatcher& dispatcher) {
        if (std::exchange(recalled_, true)) return;
        dispatcher.stop();
        runner_.recall();
        for (int worker = 1; worker < workers(); ++worker) ranks_->send(worker, Tag::recall, {});
        for (auto const& [visitor, guest] : guests_) settings_.visitors->send(visitor, Tag::recall, {});
    }

    bool hand_out(Dispatcher& dispatcher, Work const& work) {
        bool handed_out = false;
        while (auto handout = dispatcher.next()) {
            work.started(handout->chunk.tasks);
            give(handout->worker, std::move(handout->chunk));
            handed_out = true;
        }
        return handed_out;
    }

    void give(int worker, Chunk chunk) {
        if (worker == 0) return runner_.submit(std::move(chunk));
        if (worker < workers()) return ranks_->send(worker, Tag::task, write_chunk(chunk));
        settings_.visitors->send(visitor_of_.at(worker), Tag::task, write_chunk(chunk));
    }

    static void take(Dispatcher& dispatcher, Work const& work, int worker, FinishedChunk finished) {
        for (auto& findings : finished.findings) work.arrived(std::move(findings));
        if (finished.whole) dispatcher.finished(worker, finished.sequence, finished.answered, finished.seconds);
    }

    bool take_own(Dispatcher& dispatcher, Work const& work) {
        bool taken = false;
        while (auto finished = runner_.poll()) {
            take(dispatcher, work, 0, *std::move(finished));
            taken = true;
        }
        if (runner_.starving(chunks_in_flight)) dispatcher.starving(0);
        return taken;
    }

    /// Hands out after every message: with thousands of ranks more arrive meanwhile, and who is idle must not wait for
    /// all of them.
    bool take_messages(Dispatcher& dispatcher, Work const& work) {
        constexpr int at_once = 256;  // then rank 0's own threads are looked after
        int received = 0;
        for (; ranks_ != nullptr && received < at_once; ++received) {
            auto const message = ranks_->receive();
            if (!message) break;
            heard_[static_cast<std::size_t>(message->source)] = time_.seconds();
            if (message->tag == Tag::starving) dispatcher.starving(message->source);
            if (message->tag != Tag::result) continue;
            take(dispatcher, work, message->source, run::read_finished(message->bytes));
            hand_out(dispatcher, work);
        }
        return received > 0;
    }

    /// Workers that are no ranks come and go; what one had when it went goes to somebody else.
    bool take_from_visitors(Dispatcher& dispatcher, Work const& work) {
        constexpr int at_once = 256;
        int received = 0;
        for (; settings_.visitors != nullptr && received < at_once; ++received) {
            auto event = settings_.visitors->next();
            if (!event) break;
            if (event->kind == Visitors::Kind::came) {
                int const worker = dispatcher.add_worker();
                guests_[event->visitor] = {worker, time_.seconds()};
                visitor_of_[worker] = event->visitor;
            } else if (event->kind == Visitors::Kind::went) {
                see_off(dispatcher, event->visitor);
            } else {
                listen_to(dispatcher, work, event->visitor, event->message);
            }
            hand_out(dispatcher, work);
        }
        return received > 0;
    }

    void listen_to(Dispatcher& dispatcher, Work const& work, std::uint64_t visitor, Message const& message) {
        auto& guest = guests_.at(visitor);
        guest.heard = time_.seconds();
        try {
            if (message.tag == Tag::starving) dispatcher.starving(guest.worker);
            if (message.tag != Tag::result) return;
            auto finished = run::read_finished(message.bytes);
            for (auto& findings : finished.findings) {
                for (auto& answer : findings.kept) answer.rank = guest.worker;
            }
            take(dispatcher, work, guest.worker, std::move(finished));
        } catch (space::CodecError const&) {  // what is no message of ours: the same as silence
            settings_.visitors->forget(visitor);
            see_off(dispatcher, visitor);
        }
    }

    void see_off(Dispatcher& dispatcher, std::uint64_t visitor) {
        int const worker = guests_.at(visitor).worker;
        guests_.erase(visitor);
        visitor_of_.erase(worker);
        dispatcher.lost(worker);
    }

    void watch_over_visitors(Dispatcher& dispatcher) {
        std::vector<std::uint64_t> silent;
        for (auto const& [visitor, guest] : guests_) {
            settings_.visitors->send(visitor, Tag::alive, {});
            if (time_.seconds() - guest.heard > settings_.silence_seconds) silent.push_back(visitor);
        }
        for (auto const visitor : silent) {
            settings_.visitors->forget(visitor);
            see_off(dispatcher, visitor);
        }
    }

    void watch_over_workers(Dispatcher& dispatcher) {
        runner_.was_away(time_.turn());
        runner_.watch_over_points();
        if (ranks_ != nullptr && ::getppid() != launcher_) settings_.give_up("the launcher has gone");
        if (time_.seconds() - last_sign_ < seconds_between_signs_of_life) return;
        last_sign_ = time_.seconds();
        watch_over_visitors(dispatcher);
        for (int worker = 1; worker < workers(); ++worker) {
            ranks_->send(worker, Tag::alive, {});
            bool const silent = time_.seconds() - heard_[static_cast<std::size_t>(worker)] > settings_.silence_seconds;
            if (silent && dispatcher.held_by(worker) > 0)
                settings_.end_job(
                    fmt::format("rank {} has not been heard of for {} s", worker, settings_.silence_seconds));
        }
    }

    struct Guest {
        int worker = 0;
        double heard = 0.0;  ///< when something last came, by time_
    };
    Communicator* ranks_;
    WorkSettings settings_;
    ChunkRunner runner_;
    pid_t launcher_ = ::getppid();
    RunningTime time_;
    std::vector<double> heard_;                ///< when something last came from each worker, by time_
    std::map<std::uint64_t, Guest> guests_;    ///< by visitor
    std::map<int, std::uint64_t> visitor_of_;  ///< by worker
    double last_sign_ = 0.0;
    bool recalled_ = false;
};

}  // namespace

std::unique_ptr<Pool> make_coordinator(Communicator& ranks, space::Space const& space, WorkSettings settings) {
    return std::make_unique<Coordinator>(&ranks, space, settings);
}

std::unique_ptr<Pool> make_thread_pool(space::Space const& space, WorkSettings settings) {
    return std::make_unique<Coordinator>(nullptr, space, settings);
}

void dismiss_workers(Communicator& ranks, double patience_seconds, int exit_code) {
    for (int worker = 1; worker < ranks.size(); ++worker) ranks.send(worker, Tag::stop, {});
    BackOff back_off;
    auto const asked = Clock::now();
    for (int gone = 0; gone < ranks.size() - 1;) {
        auto const message = ranks.receive();
        if (message && message->tag == Tag::stop) ++gone;
        message ? back_off.something_happened() : back_off.nothing_happened();
        if (seconds_since(asked) > patience_seconds) ranks.end_job(exit_code);
    }
    ranks.flush();
}

}  // namespace pimdse::dse::run
