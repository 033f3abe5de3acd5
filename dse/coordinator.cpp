#include "dse/coordinator.hpp"

#include "dse/chunk_runner.hpp"
#include "dse/dispatcher.hpp"
#include "dse/messages.hpp"
#include "sim/check.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <thread>
#include <unistd.h>

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

class Coordinator final : public Pool {
  public:
    Coordinator(Communicator& ranks, Space const& space, WorkSettings const& settings)
        : ranks_(ranks), space_(space), settings_(settings), runner_(space, settings, 0), heard_(static_cast<std::size_t>(ranks.size()), Clock::now()) {}

    int threads() const override { return settings_.threads; }

    void evaluate(Batch const& batch, Listener const& listener, std::stop_token stop) override {
        Dispatcher dispatcher(space_, batch, listener.finished, {.workers = ranks_.size(), .largest_chunk = settings_.largest_chunk});
        std::fill(heard_.begin(), heard_.end(), Clock::now());   // between batches nobody listened
        BackOff back_off;
        while (!dispatcher.done()) {
            if (stop.stop_requested()) dispatcher.stop();
            bool const busy = hand_out(dispatcher, listener) | take_own(dispatcher) | take_messages(dispatcher, listener);
            busy ? back_off.something_happened() : back_off.nothing_happened();
            watch_over_workers(dispatcher);
        }
    }

  private:
    bool hand_out(Dispatcher& dispatcher, Listener const& listener) {
        bool handed_out = false;
        while (auto handout = dispatcher.next()) {
            listener.started(handout->chunk.tasks);
            handout->worker == 0 ? runner_.submit(std::move(handout->chunk)) : ranks_.send(handout->worker, Tag::task, write_chunk(handout->chunk));
            handed_out = true;
        }
        return handed_out;
    }

    bool take_own(Dispatcher& dispatcher) {
        bool taken = false;
        while (auto finished = runner_.poll()) {
            dispatcher.arrived(0, finished->sequence, std::move(finished->findings), finished->seconds);
            taken = true;
        }
        if (runner_.starving(chunks_in_flight)) dispatcher.starving(0);
        return taken;
    }

    /// Hands out after every message: with thousands of ranks more arrive meanwhile, and who is idle must not wait for all of them.
    bool take_messages(Dispatcher& dispatcher, Listener const& listener) {
        constexpr int at_once = 256;   // then rank 0's own threads are looked after
        int received = 0;
        for (; received < at_once; ++received) {
            auto const message = ranks_.receive();
            if (!message) break;
            heard_[static_cast<std::size_t>(message->source)] = Clock::now();
            if (message->tag == Tag::starving) dispatcher.starving(message->source);
            if (message->tag != Tag::result) continue;
            auto finished = read_finished(message->bytes);
            dispatcher.arrived(message->source, finished.sequence, std::move(finished.findings), finished.seconds);
            hand_out(dispatcher, listener);
        }
        return received > 0;
    }

    void watch_over_workers(Dispatcher const& dispatcher) {
        runner_.watch_over_points();
        if (::getppid() != launcher_) settings_.give_up("the launcher has gone");
        if (seconds_since(last_sign_) < seconds_between_signs_of_life) return;
        last_sign_ = Clock::now();
        for (int worker = 1; worker < ranks_.size(); ++worker) {
            ranks_.send(worker, Tag::alive, {});
            bool const silent = seconds_since(heard_[static_cast<std::size_t>(worker)]) > settings_.silence_seconds;
            if (silent && dispatcher.held_by(worker) > 0) settings_.end_job(fmt::format("rank {} has not been heard of for {} s", worker, settings_.silence_seconds));
        }
    }

    Communicator& ranks_;
    Space const& space_;
    WorkSettings settings_;
    ChunkRunner runner_;
    pid_t launcher_ = ::getppid();
    std::vector<Clock::time_point> heard_;
    Clock::time_point last_sign_ = Clock::now();
};

}  // namespace

std::unique_ptr<Pool> make_coordinator(Communicator& ranks, Space const& space, WorkSettings settings) {
    return std::make_unique<Coordinator>(ranks, space, settings);
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

void serve(Communicator& ranks, Space const& space, WorkSettings settings) {
    ChunkRunner runner(space, settings, ranks.rank());
    BackOff back_off;
    auto const launcher = ::getppid();
    auto heard = Clock::now();
    auto said = Clock::now();
    bool asked = false;   // for another chunk, which has not come
    while (true) {
        bool busy = false;
        while (auto message = ranks.receive()) {
            heard = Clock::now();
            busy = true;
            if (message->tag == Tag::stop) return ranks.send(0, Tag::stop, {});
            if (message->tag != Tag::task) continue;
            runner.submit(read_chunk(message->bytes));
            asked = false;
        }
        while (auto finished = runner.poll()) {
            ranks.send(0, Tag::result, write_finished(*finished));
            said = Clock::now();
            busy = true;
        }
        if (!asked && runner.starving(chunks_in_flight)) {
            ranks.send(0, Tag::starving, {});
            asked = true;
        }
        if (seconds_since(said) > seconds_between_signs_of_life) {
            ranks.send(0, Tag::alive, {});
            said = Clock::now();
        }
        runner.watch_over_points();
        if (::getppid() != launcher) settings.give_up("the launcher has gone");
        if (seconds_since(heard) > settings.silence_seconds) settings.give_up("the coordinator is silent");
        busy ? back_off.something_happened() : back_off.nothing_happened();
    }
}

}  // namespace pimdse::dse
