#include "dse/chunk_runner.hpp"

#include "dse/evaluation.hpp"

#include <chrono>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <thread>

namespace pimdse::dse {

ChunkRunner::ChunkRunner(Space const& space, int threads, int rank)
    : space_(space),
      rank_(rank),
      // One more than the workers: the process's main thread counts although it never computes.
      limit_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads) + 1),
      arena_(threads, 0) {}

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

FinishedChunk ChunkRunner::computed(Chunk const& chunk) const {
    auto const start = std::chrono::steady_clock::now();
    std::vector<Answer> answers(chunk.tasks.size());
    tbb::parallel_for(std::uint64_t{0}, chunk.tasks.size(), [&](std::uint64_t i) {
        answers[i] = answer(space_, chunk.tasks.task(i));
        answers[i].rank = rank_;
    });
    return {chunk.sequence, std::move(answers), std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
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
