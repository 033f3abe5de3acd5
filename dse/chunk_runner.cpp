#include "dse/chunk_runner.hpp"

#include "dse/evaluation.hpp"

#include <chrono>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <thread>

namespace pimdse::dse {

ChunkRunner::ChunkRunner(Space const& space, WorkSettings const& settings, int rank)
    : space_(space),
      settings_(settings),
      rank_(rank),
      clock_(settings.threads),
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
    }
    arena_.enqueue([this, chunk = std::move(chunk)] {
        FinishedChunk finished = computed(chunk);
        std::scoped_lock const lock(guard_);
        finished_.push_back(std::move(finished));
        --running_;
    });
}

FinishedChunk ChunkRunner::computed(Chunk const& chunk) {
    auto const start = std::chrono::steady_clock::now();
    auto answers = answers_to(chunk.tasks);
    for (auto& answer : answers) answer.rank = rank_;
    auto findings = sift(space_, std::move(answers));
    return {chunk.sequence, std::move(findings), std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
}

std::vector<Answer> ChunkRunner::answers_to(Batch const& tasks) {
    if (tasks.is_suspect()) return answers_apart(space_, settings_.suspects, tasks);
    std::vector<Answer> answers(tasks.size());
    tbb::parallel_for(std::uint64_t{0}, tasks.size(), [&](std::uint64_t i) {
        PointClock::Working const working(clock_, tasks.task(i));
        answers[i] = answer(space_, tasks.task(i));
    });
    return answers;
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

bool ChunkRunner::idle() {
    std::scoped_lock const lock(guard_);
    return running_ == 0;
}

}  // namespace pimdse::dse
