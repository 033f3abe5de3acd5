#include "dse/chunk_size.hpp"
#include "dse/evaluation.hpp"
#include "dse/pool.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

namespace pimdse::dse {
namespace {

using Answers = std::vector<Answer>;

struct Part {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
};

/// An ordered pipeline: parts of the batch go in, their answers come out in the same order, whatever finished first.
class ThreadPool final : public Pool {
  public:
    ThreadPool(Space const& space, int threads)
        : space_(space), threads_(threads), limit_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)), arena_(threads) {}

    int threads() const override { return threads_; }

    void evaluate(Batch const& batch, ResultSink const& sink, std::stop_token stop) override {
        constexpr std::size_t parts_in_flight_per_thread = 64;
        std::uint64_t next = 0;
        ChunkSize size({.target_seconds = 2e-3, .workers = threads_});
        std::mutex size_guard;
        auto const source = [&](tbb::flow_control& control) {
            if (next == batch.size() || stop.stop_requested()) {
                control.stop();
                return Part{};
            }
            std::scoped_lock const lock(size_guard);
            Part const part{next, size.next(batch.size() - next)};
            next += part.count;
            return part;
        };
        auto const work = [&](Part part) {
            auto const start = std::chrono::steady_clock::now();
            Answers answers = evaluated(batch, part);
            std::chrono::duration<double> const spent = std::chrono::steady_clock::now() - start;
            std::scoped_lock const lock(size_guard);
            size.measured(part.count, spent.count());
            return answers;
        };
        // The pipeline delivers one part at a time, on changing threads; the lock hands what the sink wrote from one to the next in a
        // way that a race detector, which does not see inside TBB, can follow.
        std::mutex delivery_guard;
        auto const deliver = [&](Answers const& answers) {
            std::scoped_lock const lock(delivery_guard);
            sink(answers);
        };
        arena_.execute([&] {
            tbb::parallel_pipeline(parts_in_flight_per_thread * static_cast<std::size_t>(threads_),
                                   tbb::make_filter<void, Part>(tbb::filter_mode::serial_in_order, source) &
                                       tbb::make_filter<Part, Answers>(tbb::filter_mode::parallel, work) &
                                       tbb::make_filter<Answers, void>(tbb::filter_mode::serial_in_order, deliver));
        });
        std::scoped_lock const finished(size_guard, delivery_guard);
    }

  private:
    Answers evaluated(Batch const& batch, Part part) const {
        Answers answers;
        answers.reserve(part.count);
        for (std::uint64_t i = part.first; i < part.first + part.count; ++i) answers.push_back(answer(space_, batch.task(i)));
        return answers;
    }

    Space const& space_;
    int threads_;
    tbb::global_control limit_;
    tbb::task_arena arena_;
};

}  // namespace

std::unique_ptr<Pool> make_thread_pool(Space const& space, int threads) { return std::make_unique<ThreadPool>(space, threads); }

}  // namespace pimdse::dse
