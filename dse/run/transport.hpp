#pragma once

#include "dse/run/chunk_result.hpp"
#include "dse/space/batch.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

namespace pimdse::dse::run {

/// Tasks for one worker, with the sequence number that identifies their results.
struct Chunk {
    std::uint64_t sequence = 0;
    space::Batch tasks;
};

/// Results of a chunk, or of a part of one, so that a long point does not delay the other results of its chunk.
struct FinishedChunk {
    std::uint64_t sequence = 0;
    std::vector<ChunkResult> results;
    double seconds = 0.0;         ///< sum over all threads of the worker, divided by their number
    bool whole = true;            ///< false: more results of this chunk follow
    std::uint64_t evaluated = 0;  ///< tasks of the chunk evaluated so far
};

/// Identifies a worker within its transport.
using WorkerKey = std::uint64_t;

struct WorkerEvent {
    enum class Kind : std::uint8_t { starving, finished };
    Kind kind = Kind::starving;
    WorkerKey worker = 0;
    FinishedChunk chunk;  ///< if kind is `finished`
};

/// Carries chunks to workers and results back. The workers are threads of this process or MPI ranks. Only the thread of
/// the main loop uses it; no call blocks.
class Transport {
  public:
    virtual ~Transport() = default;

    /// The workers, in the order of their numbers.
    [[nodiscard]] virtual std::vector<WorkerKey> workers() const = 0;

    /// The next event, if any. A worker is `starving` if its threads are idle although it holds several chunks. Throws
    /// CodecError for an invalid message.
    [[nodiscard]] virtual std::optional<WorkerEvent> poll() = 0;

    /// Submits a chunk to a worker. poll() returns the results, in any order.
    virtual void submit(WorkerKey worker, Chunk chunk) = 0;

    /// Stops the workers from starting more points: chunks finish with the results that they have.
    virtual void recall() = 0;

    /// To be called several times a second: sends the workers that the coordinator is alive, and handles workers that
    /// have sent nothing for too long. `busy` returns whether a worker holds a chunk.
    virtual void supervise(std::function<bool(WorkerKey)> const& busy) = 0;
};

/// The workers of several transports, numbered from 0.
class WorkerNumbers {
  public:
    struct Worker {
        Transport* transport = nullptr;
        WorkerKey key = 0;
    };
    explicit WorkerNumbers(std::vector<Transport*> const& transports) {
        for (auto* transport : transports) {
            for (auto const key : transport->workers()) {
                numbers_[transport][key] = size();
                workers_.push_back({transport, key});
            }
        }
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
