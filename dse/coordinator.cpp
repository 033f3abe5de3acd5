#include "dse/coordinator.hpp"

#include "dse/chunk_runner.hpp"
#include "dse/dispatcher.hpp"
#include "dse/messages.hpp"
#include "dse/running_time.hpp"
#include "sim/check.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace pimdse::dse {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double seconds_between_signs_of_life = 1.0;

double seconds_since(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

/// Sleeps longer the longer nothing happens: 50 us up to 500 us, so that waiting costs no core and little delay.
class BackOff {
  public:
    void something_happened() { sleep_ = shortest; }
    void nothing_happened() {
        std::this_thread::sleep_for(sleep_);
        sleep_ = std::min(sleep_ * 2, longest);
    }

  private:
    static constexpr std::chrono::microseconds shortest{50};
    static constexpr std::chrono::microseconds longest{500};
    std::chrono::microseconds sleep_{shortest};
};

/// Hands out work to the threads of this process and, in a job of several ranks, to the others.
class Coordinator final : public Pool {
  public:
    /// `ranks`: nullptr where this process is alone.
    Coordinator(Communicator* ranks, Space const& space, WorkSettings const& settings)
        : ranks_(ranks), settings_(settings), runner_(space, settings, 0), heard_(static_cast<std::size_t>(workers()), 0.0) {}

    int threads() const override { return settings_.threads; }

    void evaluate(Work const& work, std::stop_token stop) override {
        Dispatcher dispatcher(work, {.workers = workers(), .largest_chunk = settings_.largest_chunk});
        (void)time_.turn();
        std::fill(heard_.begin(), heard_.end(), time_.seconds());   // until now nobody listened
        BackOff back_off;
        while (!dispatcher.done()) {
            if (stop.stop_requested()) recall(dispatcher);
            bool const busy = hand_out(dispatcher, work) | take_own(dispatcher, work) | take_messages(dispatcher, work);
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
    }

    bool hand_out(Dispatcher& dispatcher, Work const& work) {
        bool handed_out = false;
        while (auto handout = dispatcher.next()) {
            work.started(handout->chunk.tasks);
            handout->worker == 0 ? runner_.submit(std::move(handout->chunk)) : ranks_->send(handout->worker, Tag::task, write_chunk(handout->chunk));
            handed_out = true;
        }
        return handed_out;
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

    /// Hands out after every message: with thousands of ranks more arrive meanwhile, and who is idle must not wait for all of them.
    bool take_messages(Dispatcher& dispatcher, Work const& work) {
        constexpr int at_once = 256;   // then rank 0's own threads are looked after
        int received = 0;
        for (; ranks_ != nullptr && received < at_once; ++received) {
            auto const message = ranks_->receive();
            if (!message) break;
            heard_[static_cast<std::size_t>(message->source)] = time_.seconds();
            if (message->tag == Tag::starving) dispatcher.starving(message->source);
            if (message->tag != Tag::result) continue;
            take(dispatcher, work, message->source, read_finished(message->bytes));
            hand_out(dispatcher, work);
        }
        return received > 0;
    }

    void watch_over_workers(Dispatcher const& dispatcher) {
        runner_.was_away(time_.turn());
        runner_.watch_over_points();
        if (ranks_ == nullptr) return;
        if (::getppid() != launcher_) settings_.give_up("the launcher has gone");
        if (time_.seconds() - last_sign_ < seconds_between_signs_of_life) return;
        last_sign_ = time_.seconds();
        for (int worker = 1; worker < workers(); ++worker) {
            ranks_->send(worker, Tag::alive, {});
            bool const silent = time_.seconds() - heard_[static_cast<std::size_t>(worker)] > settings_.silence_seconds;
            if (silent && dispatcher.held_by(worker) > 0) settings_.end_job(fmt::format("rank {} has not been heard of for {} s", worker, settings_.silence_seconds));
        }
    }

    Communicator* ranks_;
    WorkSettings settings_;
    ChunkRunner runner_;
    pid_t launcher_ = ::getppid();
    RunningTime time_;
    std::vector<double> heard_;   ///< when something last came from each worker, by time_
    double last_sign_ = 0.0;
    bool recalled_ = false;
};

}  // namespace

std::string too_long(PointId point, double seconds) {
    return fmt::format("point {} has taken longer than {} s: this process ends, and --resume tries the point in a process of its own", index_of(point), seconds);
}

std::unique_ptr<Pool> make_coordinator(Communicator& ranks, Space const& space, WorkSettings settings) {
    return std::make_unique<Coordinator>(&ranks, space, settings);
}

std::unique_ptr<Pool> make_thread_pool(Space const& space, WorkSettings settings) { return std::make_unique<Coordinator>(nullptr, space, settings); }

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

void serve(Communicator& ranks, Space const& space, WorkSettings settings) {
    ChunkRunner runner(space, settings, ranks.rank());
    BackOff back_off;
    auto const launcher = ::getppid();
    RunningTime time;
    double heard = 0.0;
    double said = 0.0;
    bool asked = false;   // for another chunk, which has not come
    while (true) {
        bool busy = false;
        while (auto message = ranks.receive()) {
            heard = time.seconds();
            busy = true;
            if (message->tag == Tag::recall || message->tag == Tag::stop) runner.recall();
            if (message->tag == Tag::stop) return ranks.send(0, Tag::stop, {});
            if (message->tag != Tag::task) continue;
            runner.submit(read_chunk(message->bytes));
            asked = false;
        }
        while (auto finished = runner.poll()) {
            ranks.send(0, Tag::result, write_finished(*finished));
            said = time.seconds();
            busy = true;
        }
        if (!asked && runner.starving(chunks_in_flight)) {
            ranks.send(0, Tag::starving, {});
            asked = true;
        }
        if (time.seconds() - said > seconds_between_signs_of_life) {
            ranks.send(0, Tag::alive, {});
            said = time.seconds();
        }
        runner.was_away(time.turn());
        runner.watch_over_points();
        if (::getppid() != launcher) settings.give_up("the launcher has gone");
        if (time.seconds() - heard > settings.silence_seconds) settings.give_up("the coordinator is silent");
        busy ? back_off.something_happened() : back_off.nothing_happened();
    }
}

}  // namespace pimdse::dse
