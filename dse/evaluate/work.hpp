#pragma once

#include "dse/evaluate/findings.hpp"
#include "dse/task/batch.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace pimdse::dse::evaluate {

/// What a pool works on, as whoever searches gives it. All are called from one thread, the one that called
/// Pool::evaluate.
struct Work {
    /// At most so many tasks, to be evaluated by one worker; an empty batch where there are none just now (another
    /// answer may change that), nothing where no more will come.
    std::function<std::optional<task::Batch>(std::uint64_t most)> more;
    /// About how many tasks `more` will still give.
    std::function<std::uint64_t()> left;
    /// These tasks are about to be worked on; they are handed out when it returns.
    std::function<void(task::Batch const&)> started;
    /// What some tasks came to, in any order and cut in any way: as soon as it is there.
    std::function<void(Findings&&)> arrived;
    /// Whoever had these tasks has gone; some of them may have arrived. What has not will be given by `more` again.
    std::function<void(task::Batch const&)> returned;
    /// Now and then, also while nothing arrives; may be empty.
    std::function<void()> tick;
};

/// Some tasks on their way to a worker, and the number by which their answers are recognised.
struct Chunk {
    std::uint64_t sequence = 0;
    task::Batch tasks;
};

/// What a chunk came to, or a part of it: long points do not keep what is answered from becoming durable.
struct FinishedChunk {
    std::uint64_t sequence = 0;
    std::vector<Findings> findings;
    double seconds = 0.0;        ///< of all threads, divided by their number
    bool whole = true;           ///< false: more is to come
    std::uint64_t answered = 0;  ///< points of the chunk that are answered by now
};

}  // namespace pimdse::dse::evaluate
