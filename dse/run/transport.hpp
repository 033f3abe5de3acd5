#pragma once

#include "dse/run/chunk_result.hpp"
#include "dse/space/batch.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

namespace pimdse::dse::run {

/// Tasks that one worker evaluates, and the number by which their results are recognised.
struct Chunk {
    std::uint64_t sequence = 0;
    space::Batch tasks;
};

/// Results of a chunk, or of a part of one: a long point does not delay what else is known of its chunk.
struct FinishedChunk {
    std::uint64_t sequence = 0;
    std::vector<ChunkResult> results;
    double seconds = 0.0;         ///< of all threads of the worker, divided by their number
    bool whole = true;            ///< false: more results of this chunk follow
    std::uint64_t evaluated = 0;  ///< tasks of the chunk that are evaluated by now
};

/// A worker, as its transport numbers it.
using WorkerKey = std::uint64_t;

struct WorkerEvent {
    enum class Kind : std::uint8_t { joined, left, starving, finished };
    Kind kind = Kind::joined;
    WorkerKey worker = 0;
    FinishedChunk chunk;  ///< of `finished`
};

/// Carries chunks to workers and their results back: to threads of this process, to MPI ranks, or over TCP. Used by one
/// thread, the one that runs the loop; no call blocks.
class Transport {
  public:
    virtual ~Transport() = default;

    /// The workers that are connected now, in the order in which they are numbered.
    [[nodiscard]] virtual std::vector<WorkerKey> workers() const = 0;

    /// The next event, if any. A worker that was not among workers() joins before anything else is said of it; nothing
    /// is said of it after it has left, and its chunks must be evaluated by somebody else. A worker is `starving` when
    /// its threads are idle although it holds several chunks. Throws CodecError for a message that makes no sense.
    [[nodiscard]] virtual std::optional<WorkerEvent> poll() = 0;

    /// Gives a connected worker a chunk. The results come by poll(), in any order.
    virtual void submit(WorkerKey worker, Chunk chunk) = 0;

    /// No worker begins another point from now on: chunks finish with the results that they have.
    virtual void recall() = 0;

    /// To be called several times a second: tells the workers that the coordinator lives, and acts on workers that have
    /// been silent for too long. `busy` says whether a worker holds a chunk.
    virtual void supervise(std::function<bool(WorkerKey)> const& busy) = 0;
};

/// The workers of several transports, numbered from 0 on.
class WorkerNumbers {
  public:
    struct Worker {
        Transport* transport = nullptr;
        WorkerKey key = 0;
    };
    explicit WorkerNumbers(std::vector<Transport*> const& transports) {
        for (auto* transport : transports) {
            for (auto const key : transport->workers()) add(*transport, key);
        }
    }
    int add(Transport& transport, WorkerKey key) {
        int const number = size();
        workers_.push_back({&transport, key});
        numbers_[&transport][key] = number;
        return number;
    }
    [[nodiscard]] int size() const { return static_cast<int>(workers_.size()); }
    [[nodiscard]] Worker const& worker(int number) const { return workers_[static_cast<std::size_t>(number)]; }
    [[nodiscard]] int number(Transport const& transport, WorkerKey key) const {
        return numbers_.at(&transport).at(key);
    }

  private:
    std::vector<Worker> workers_;
    std::unordered_map<Transport const*, std::unordered_map<WorkerKey, int>> numbers_;
};

}  // namespace pimdse::dse::run
