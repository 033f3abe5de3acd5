#include "dse/chunk_runner.hpp"

#include "dse/evaluation.hpp"

#include <algorithm>
#include <chrono>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <thread>

namespace pimdse::dse {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

}  // namespace

ChunkRunner::ChunkRunner(Space const& space, WorkSettings const& settings, int rank)
    : space_(space),
      settings_(settings),
      rank_(rank),
      clock_(settings.threads),
      apart_(space, settings.suspects, settings.threads),
      // One more than the workers: the process's main thread counts although it never computes.
      limit_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(settings.threads) + 1),
      arena_(settings.threads, 0) {}

ChunkRunner::~ChunkRunner() {
    while (!idle()) std::this_thread::sleep_for(std::chrono::microseconds(100));
}

void ChunkRunner::submit(Chunk chunk) {
    {
        std::scoped_lock const lock(guard_);
        ++running_;
        not_started_ += chunk.tasks.size();
    }
    arena_.enqueue([this, chunk = std::move(chunk)] {
        FinishedChunk finished = computed(chunk);
        std::scoped_lock const lock(guard_);
        finished_.push_back(std::move(finished));
        --running_;
    });
}

FinishedChunk ChunkRunner::computed(Chunk const& chunk) {
    auto [answers, seconds] = answers_to(chunk.tasks);
    for (auto& answer : answers) answer.rank = rank_;
    auto const start = Clock::now();
    auto findings = sift(space_, std::move(answers));
    return {chunk.sequence, std::move(findings), (seconds + seconds_since(start)) / settings_.threads};
}

ChunkRunner::Computed ChunkRunner::answers_to(Batch const& tasks) {
    if (!tasks.is_suspect()) apart_.rest();
    std::vector<Answer> answers(tasks.size());
    std::atomic<double> seconds = 0.0;
    // Cut fine, so that few points wait behind a long one.
    std::uint64_t const together = std::clamp<std::uint64_t>(tasks.size() / (64 * static_cast<std::uint64_t>(settings_.threads)), 1, 1024);
    tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, tasks.size(), together), [&](tbb::blocked_range<std::uint64_t> const& part) {
        double const spent = tasks.is_suspect() ? answer_suspects(tasks, part.begin(), part.end(), answers) : answer_some(tasks, part.begin(), part.end(), answers);
        seconds.fetch_add(spent, std::memory_order_relaxed);
    }, tbb::simple_partitioner{});
    return {std::move(answers), seconds};
}

double ChunkRunner::answer_some(Batch const& tasks, std::uint64_t first, std::uint64_t last, std::vector<Answer>& answers) {
    auto const begun = Clock::now();
    for (std::uint64_t i = first; i != last; ++i) {
        PointClock::Working const working(clock_, tasks.task(i));
        not_started_.fetch_sub(1, std::memory_order_relaxed);
        answers[i] = answer(space_, tasks.task(i));
    }
    return seconds_since(begun);
}

double ChunkRunner::answer_suspects(Batch const& tasks, std::uint64_t first, std::uint64_t last, std::vector<Answer>& answers) {
    not_started_.fetch_sub(last - first, std::memory_order_relaxed);
    auto found = apart_.answers(tasks.part(first, last - first));
    double const spent = seconds_in(found);
    std::move(found.begin(), found.end(), answers.begin() + static_cast<std::ptrdiff_t>(first));
    return spent;
}

void ChunkRunner::watch_over_points() const {
    if (auto const point = clock_.overdue(settings_.point_seconds)) settings_.give_up(too_long(*point, settings_.point_seconds));
}

std::optional<FinishedChunk> ChunkRunner::poll() {
    std::scoped_lock const lock(guard_);
    if (finished_.empty()) return std::nullopt;
    std::optional<FinishedChunk> first(std::move(finished_.front()));
    finished_.pop_front();
    return first;
}

bool ChunkRunner::starving(int chunks) {
    auto const soon = static_cast<std::uint64_t>(settings_.threads / 4);
    if (not_started_.load(std::memory_order_relaxed) > soon) return false;
    std::scoped_lock const lock(guard_);
    return running_ >= chunks && running_ < settings_.threads + chunks;
}

bool ChunkRunner::idle() {
    std::scoped_lock const lock(guard_);
    return running_ == 0;
}

}  // namespace pimdse::dse
