#include "dse/run/chunk_runner.hpp"

#include "dse/run/dispatcher.hpp"
#include "dse/run/isolation.hpp"
#include "dse/space/evaluation.hpp"
#include "dse/space/space.hpp"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <algorithm>
#include <thread>
#include <utility>

namespace pimdse::dse::run {
namespace {

/// The message with which a process gives up on a point.
std::string too_long(space::PointId point, double seconds) {
    return fmt::format(
        "point {} has taken longer than {} s: this process ends, and --resume evaluates the point in a process of its "
        "own",
        index_of(point), seconds);
}

}  // namespace

ChunkRunner::ChunkRunner(space::Space const& space, WorkSettings const& settings)
    : space_(space),
      settings_(settings),
      clock_(settings.threads),
      // One more than the worker threads: the main thread of the process counts although it never evaluates points.
      limit_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(settings.threads) + 1),
      arena_(settings.threads, 0) {}

ChunkRunner::~ChunkRunner() {
    while (!idle()) std::this_thread::sleep_for(std::chrono::microseconds(100));
}

/// noexcept, like its task: what is thrown here, the host is to blame for (no memory, no thread) or a bug. No thread
/// could go on, so the process ends (std::terminate), and the journal keeps what is complete.
void ChunkRunner::submit(Chunk chunk) noexcept {
    std::list<Running>::iterator running;
    {
        std::scoped_lock const lock(guard_);
        running = running_.emplace(running_.end());
        running->results.resize(chunk.tasks.size());
        running->delivered = Clock::now();
        running->chunk = std::move(chunk);
    }
    not_started_ += running->chunk.tasks.size();
    arena_.enqueue([this, running]() noexcept {
        compute(*running);
        finish(running);
    });
}

void ChunkRunner::compute(Running& running) {
    space::Batch const& tasks = running.chunk.tasks;
    auto const threads = static_cast<std::uint64_t>(settings_.threads);
    // Small ranges, so that few points wait behind a long one; but a range in quarantine has a process of its own.
    std::uint64_t const grain = tasks.is_quarantined()
                                    ? (tasks.size() + threads - 1) / threads
                                    : std::clamp<std::uint64_t>(tasks.size() / (64 * threads), 1, 1024);
    tbb::parallel_for(
        tbb::blocked_range<std::uint64_t>(0, tasks.size(), grain),
        [&](tbb::blocked_range<std::uint64_t> const& part) {
            Span const span{part.begin(), part.end()};
            tasks.is_quarantined() ? evaluate_quarantined(running, span) : evaluate_some(running, span);
        },
        tbb::simple_partitioner{});
}

void ChunkRunner::finish(std::list<Running>::iterator running) {
    auto const start = Clock::now();
    std::vector<Span> done;
    {
        std::scoped_lock const lock(guard_);
        done.swap(running->done);
    }
    auto results = results_of(*running, std::move(done));
    double const seconds = running->seconds + seconds_since(start);
    std::scoped_lock const lock(guard_);
    finished_.push_back(
        {running->chunk.sequence, std::move(results), seconds / settings_.threads, true, running->evaluated});
    running_.erase(running);
}

void ChunkRunner::note_done(Running& running, Span done, double seconds) {
    running.seconds.fetch_add(seconds, std::memory_order_relaxed);
    if (done.first == done.last) return;
    std::scoped_lock const lock(guard_);
    running.evaluated += done.last - done.first;
    running.done.push_back(done);
}

void ChunkRunner::evaluate_some(Running& running, Span span) {
    auto const begun = Clock::now();
    Span done{span.first, span.first};
    for (std::uint64_t i = span.first; i != span.last; ++i) {
        not_started_.fetch_sub(1, std::memory_order_relaxed);
        if (recalled_.load(std::memory_order_relaxed)) continue;
        space::Task const task = running.chunk.tasks.task(i);
        PointClock::Working const working(clock_, task);
        running.results[i] = evaluate(space_, task);
        ++done.last;
    }
    note_done(running, done, seconds_since(begun));
}

/// Notes each result as it arrives, so that none waits behind a long point. The time to start processes is not counted:
/// it says nothing about the points.
void ChunkRunner::evaluate_quarantined(Running& running, Span span) {
    not_started_.fetch_sub(span.last - span.first, std::memory_order_relaxed);
    if (recalled_.load(std::memory_order_relaxed)) return;
    std::uint64_t next = span.first;
    evaluate_apart(space_, settings_, running.chunk.tasks.part(span.first, span.last - span.first),
                   [&](space::Result result) {
                       double const seconds = result.seconds;
                       running.results[next] = std::move(result);
                       note_done(running, {next, next + 1}, seconds);
                       ++next;
                       return !recalled_.load(std::memory_order_relaxed);
                   });
}

/// With `keep = "front"`, one filtered ChunkResult per run of consecutive ids; otherwise one with all results.
std::vector<ChunkResult> ChunkRunner::results_of(Running& running, std::vector<Span> done) const {
    std::sort(done.begin(), done.end(), [](Span const& a, Span const& b) { return a.first < b.first; });
    bool const runs = space_.search().keep == space::Keep::front;
    std::vector<ChunkResult> results;
    std::vector<space::Result> collected;
    for (std::size_t k = 0; k < done.size(); ++k) {
        for (std::uint64_t i = done[k].first; i < done[k].last; ++i) collected.push_back(std::move(running.results[i]));
        bool const continues = k + 1 < done.size() && (!runs || done[k + 1].first == done[k].last);
        if (!continues) results.push_back(filter_dominated(space_, std::exchange(collected, {})));
    }
    return results;
}

void ChunkRunner::check_point_times() const {
    if (auto const point = clock_.overdue(settings_.point_seconds))
        settings_.give_up(too_long(*point, settings_.point_seconds));
}

std::optional<FinishedChunk> ChunkRunner::poll() {
    {
        std::scoped_lock const lock(guard_);
        if (!finished_.empty()) {
            std::optional<FinishedChunk> first(std::move(finished_.front()));
            finished_.pop_front();
            return first;
        }
    }
    constexpr double seconds_between_checks = 0.1;
    if (seconds_since(checked_partial_) < seconds_between_checks) return std::nullopt;
    auto part = partial_results();
    if (!part) checked_partial_ = Clock::now();
    return part;
}

std::optional<FinishedChunk> ChunkRunner::partial_results() {
    constexpr double max_seconds_before_delivery = 0.5;
    std::scoped_lock const lock(guard_);
    auto const found = std::find_if(running_.begin(), running_.end(), [](Running const& running) {
        return !running.done.empty() && seconds_since(running.delivered) >= max_seconds_before_delivery;
    });
    if (found == running_.end()) return std::nullopt;
    found->delivered = Clock::now();
    return FinishedChunk{found->chunk.sequence, results_of(*found, std::exchange(found->done, {})), 0.0, false,
                         found->evaluated};
}

bool ChunkRunner::starving(int chunks) {
    auto const soon = static_cast<std::uint64_t>(settings_.threads / 4);
    if (not_started_.load(std::memory_order_relaxed) > soon) return false;
    std::scoped_lock const lock(guard_);
    auto const running = static_cast<int>(running_.size());
    return running >= chunks && running < settings_.threads + chunks;
}

bool ChunkRunner::idle() {
    std::scoped_lock const lock(guard_);
    return running_.empty();
}

/// Accurate to a few milliseconds. The clock is read for every point, and the coarse clock costs a fifth of the fine
/// one.
std::int64_t PointClock::now() const {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec - suspended_.load(std::memory_order_relaxed);
}

PointClock::Working::Working(PointClock& clock, space::Task task)
    : clock_(clock), slot_(tbb::this_task_arena::current_thread_index()) {
    if (slot_ < 0 || slot_ >= clock_.threads_) {
        slot_ = -1;
        return;
    }
    auto& slot = clock_.slots_[static_cast<std::size_t>(slot_)];
    outer_ = {slot.point.load(std::memory_order_relaxed), slot.since.load(std::memory_order_relaxed)};
    slot.point.store(index_of(task.point), std::memory_order_relaxed);
    slot.since.store(clock_.now(), std::memory_order_release);
}

PointClock::Working::~Working() {
    if (slot_ < 0) return;
    auto& slot = clock_.slots_[static_cast<std::size_t>(slot_)];
    slot.point.store(outer_.point, std::memory_order_relaxed);
    slot.since.store(outer_.since, std::memory_order_release);
}

std::optional<space::PointId> PointClock::overdue(double seconds) const {
    auto const limit = now() - static_cast<std::int64_t>(seconds * 1e9);
    for (int i = 0; i < threads_; ++i) {
        auto const& slot = slots_[static_cast<std::size_t>(i)];
        auto const since = slot.since.load(std::memory_order_acquire);
        if (since != 0 && since < limit) return space::PointId{slot.point.load(std::memory_order_relaxed)};
    }
    return std::nullopt;
}

std::optional<WorkerEvent> LocalTransport::poll() {
    if (auto finished = runner_.poll()) return WorkerEvent{WorkerEvent::Kind::finished, 0, *std::move(finished)};
    if (reported_starving_ || !runner_.starving(chunks_in_flight)) return std::nullopt;
    reported_starving_ = true;
    return WorkerEvent{WorkerEvent::Kind::starving, 0, {}};
}

void LocalTransport::submit(WorkerKey, Chunk chunk) {
    runner_.submit(std::move(chunk));
    reported_starving_ = false;
}

void LocalTransport::supervise(std::function<bool(WorkerKey)> const&) {
    runner_.add_suspended(time_.turn());
    runner_.check_point_times();
}

}  // namespace pimdse::dse::run
