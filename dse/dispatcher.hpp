#pragma once

#include "dse/chunk_size.hpp"
#include "dse/findings.hpp"

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace pimdse::dse {

/// A piece of a batch on its way to a worker: its tasks and the number by which its answers are recognised.
struct Chunk {
    std::uint64_t sequence = 0;
    Batch tasks;
};

/// Who gets which part of a batch, and in which order the answers are told: the coordinator without its messages, so that
/// tests and the scale model drive it without MPI. Workers are numbered from 0.
class Dispatcher {
  public:
    struct Settings {
        int workers = 1;
        int in_flight = 2;                     ///< chunks a worker holds, so that it never waits for the next one
        double smallest_work_seconds = 10e-3;  ///< per chunk; raised with the number of workers
        std::uint64_t largest_chunk = 65'536;
        std::uint64_t chunks_ahead = 16'384;   ///< how far work may run ahead of the oldest unfinished chunk
    };
    using Sink = std::function<void(Findings const&)>;
    Dispatcher(Space const& space, Batch batch, Sink sink, Settings settings);

    /// The next chunk and the worker to give it to, if there is work and a worker with room; remembers that it has it. Every worker
    /// gets a first chunk before anyone gets a second one, the worker with the highest number first.
    struct Handout {
        int worker = 0;
        Chunk chunk;
    };
    [[nodiscard]] std::optional<Handout> next();
    /// A worker finished a chunk; tells every finding whose predecessors are all there. `seconds` is what the chunk took.
    void arrived(int worker, std::uint64_t sequence, Findings findings, double seconds);
    /// No more chunks are handed out; those under way are still waited for.
    void stop() { stopped_ = true; }

    [[nodiscard]] bool done() const { return under_way_ == 0 && (stopped_ || next_task_ == batch_.size()); }
    [[nodiscard]] int held_by(int worker) const { return workers_[static_cast<std::size_t>(worker)].held; }
    [[nodiscard]] std::uint64_t dispatched() const { return next_sequence_; }

  private:
    struct Worker {
        ChunkSize size;
        int held = 0;
    };
    Space const& space_;
    Batch batch_;
    Sink sink_;
    Settings settings_;
    std::vector<Worker> workers_;
    std::deque<int> hungry_;                                ///< each worker that has room, once
    std::map<std::uint64_t, Findings> waiting_;             ///< finished, but a predecessor is not
    std::map<std::uint64_t, std::uint64_t> counts_;         ///< tasks of every chunk under way
    std::uint64_t next_task_ = 0;
    std::uint64_t next_sequence_ = 0;
    std::uint64_t next_delivered_ = 0;
    std::uint64_t under_way_ = 0;
    bool stopped_ = false;
};

}  // namespace pimdse::dse
