#include "dse/chunk_size.hpp"
#include "dse/evaluation.hpp"
#include "dse/point_clock.hpp"
#include "dse/pool.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <fmt/format.h>
#include <mutex>
#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>
#include <thread>

namespace pimdse::dse {
namespace {

struct Part {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
};

/// An ordered pipeline: parts of the batch go in, what they came to comes out in the same order, whatever finished first.
class ThreadPool final : public Pool {
  public:
    ThreadPool(Space const& space, WorkSettings settings)
        : space_(space),
          settings_(std::move(settings)),
          clock_(settings_.threads),
          apart_(space, settings_.suspects, settings_.threads),
          limit_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(settings_.threads)),
          arena_(settings_.threads),
          watcher_([this](std::stop_token const& over) { watch_over_points(over); }) {}

    int threads() const override { return settings_.threads; }

    void evaluate(Batch const& batch, Listener const& listener, std::stop_token stop) override {
        constexpr std::size_t parts_in_flight_per_thread = 64;
        std::uint64_t next = 0;
        ChunkSize size({.target_seconds = 2e-3, .workers = settings_.threads, .largest = settings_.largest_chunk});
        if (!batch.is_suspect()) apart_.rest();
        std::mutex size_guard;
        // The pipeline delivers one part at a time, on changing threads; the lock hands what the listener wrote from one to the next in a
        // way that a race detector, which does not see inside TBB, can follow.
        std::mutex listener_guard;
        // What the listener throws ends the pipeline in order: TBB would lose the memory of parts that finish just then.
        std::exception_ptr failure;
        std::atomic<bool> failed = false;
        auto const tell = [&](auto const& say) {
            std::scoped_lock const lock(listener_guard);
            if (failed) return;
            try {
                say();
            } catch (...) {
                failure = std::current_exception();
                failed = true;
            }
        };
        auto const source = [&](tbb::flow_control& control) {
            if (next == batch.size() || stop.stop_requested() || failed) {
                control.stop();
                return Part{};
            }
            Part part{next, 0};
            {
                std::scoped_lock const lock(size_guard);
                part.count = within_block(space_, batch, next, size.next(batch.size() - next));
            }
            next += part.count;
            tell([&] { listener.started(batch.part(part.first, part.count)); });
            return part;
        };
        auto const work = [&](Part part) {
            if (failed) return Findings{};
            auto [findings, seconds] = evaluated(batch.part(part.first, part.count));
            std::scoped_lock const lock(size_guard);
            size.measured(part.count, seconds);
            return std::move(findings);
        };
        auto const deliver = [&](Findings const& findings) { tell([&] { listener.finished(findings); }); };
        arena_.execute([&] {
            tbb::parallel_pipeline(parts_in_flight_per_thread * static_cast<std::size_t>(settings_.threads),
                                   tbb::make_filter<void, Part>(tbb::filter_mode::serial_in_order, source) &
                                       tbb::make_filter<Part, Findings>(tbb::filter_mode::parallel, work) &
                                       tbb::make_filter<Findings, void>(tbb::filter_mode::serial_in_order, deliver));
        });
        std::scoped_lock const finished(size_guard, listener_guard);
        if (failure) std::rethrow_exception(failure);
    }

  private:
    struct Evaluated {
        Findings findings;
        double seconds = 0.0;
    };

    Evaluated evaluated(Batch const& part) {
        auto const start = std::chrono::steady_clock::now();
        std::vector<Answer> answers = part.is_suspect() ? apart_.answers(part) : answers_to(part);
        double const apart = part.is_suspect() ? seconds_in(answers) : 0.0;
        Findings findings = sift(space_, std::move(answers));
        std::chrono::duration<double> const spent = std::chrono::steady_clock::now() - start;
        return {std::move(findings), part.is_suspect() ? apart : spent.count()};
    }

    std::vector<Answer> answers_to(Batch const& part) {
        std::vector<Answer> answers;
        answers.reserve(part.size());
        for (std::uint64_t i = 0; i < part.size(); ++i) {
            PointClock::Working const working(clock_, part.task(i));
            answers.push_back(answer(space_, part.task(i)));
        }
        return answers;
    }

    /// Gives up when a point takes too long: nothing can stop a thread, so only the end of the process can.
    void watch_over_points(std::stop_token const& over) {
        std::mutex mutex;
        std::condition_variable_any sleep;
        std::unique_lock lock(mutex);
        while (!sleep.wait_for(lock, over, std::chrono::milliseconds(50), [&] { return over.stop_requested(); })) {
            if (auto const point = clock_.overdue(settings_.point_seconds)) settings_.give_up(too_long(*point, settings_.point_seconds));
        }
    }

    Space const& space_;
    WorkSettings settings_;
    PointClock clock_;
    ProcessApart apart_;
    tbb::global_control limit_;
    tbb::task_arena arena_;
    std::jthread watcher_;   // last: it ends before what it looks at
};

}  // namespace

std::string too_long(PointId point, double seconds) {
    return fmt::format("point {} has taken longer than {} s: this process ends, and --resume tries the point in a process of its own", index_of(point), seconds);
}

std::unique_ptr<Pool> make_thread_pool(Space const& space, WorkSettings settings) { return std::make_unique<ThreadPool>(space, std::move(settings)); }

}  // namespace pimdse::dse
