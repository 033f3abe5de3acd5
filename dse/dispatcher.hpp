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

/// How many chunks a worker holds as a rule: the next one is there when one ends.
constexpr int chunks_in_flight = 2;

/// Who gets which part of a batch, and in which order the answers are told: the coordinator without its messages, so that
/// tests and the scale model drive it without MPI. Workers are numbered from 0.
class Dispatcher {
  public:
    struct Settings {
        int workers = 1;
        int in_flight = chunks_in_flight;              ///< chunks a worker holds, so that it never waits for the next one
        int most_in_flight = 64;                       ///< where chunks are so short that two of them would not bridge a round trip
        double smallest_work_seconds = 10e-3;          ///< per chunk; raised with the number of workers
        double round_trip_seconds = 2e-3;              ///< work a worker holds at least, as far as most_in_flight allows
        std::uint64_t largest_chunk = 65'536;
        std::uint64_t chunks_ahead = 1ULL << 20;       ///< how far work may run ahead of the oldest unfinished chunk
        std::uint64_t answers_ahead = 1ULL << 21;      ///< the same in answers, which are kept in memory until their turn comes
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
    /// A worker finished a chunk; tells every finding whose predecessors are all there. `seconds` is what the chunk took of the
    /// whole worker: of all its threads, divided by their number.
    void arrived(int worker, std::uint64_t sequence, Findings findings, double seconds);
    /// A worker has threads without work although it holds all the chunks it may: long points keep those from finishing. It gets another.
    void starving(int worker);
    /// No more chunks are handed out; those under way are still waited for.
    void stop() { stopped_ = true; }

    [[nodiscard]] bool done() const { return under_way_ == 0 && (stopped_ || next_task_ == batch_.size()); }
    [[nodiscard]] int held_by(int worker) const { return workers_[static_cast<std::size_t>(worker)].held; }
    [[nodiscard]] std::uint64_t dispatched() const { return next_sequence_; }

  private:
    struct Worker {
        int held = 0;                 ///< chunks
        std::uint64_t points = 0;     ///< in them
        bool queued = false;          ///< is in hungry_
        double expected = 0.0, took = 0.0;  ///< seconds for its chunks, had it been like all; its own
        [[nodiscard]] double speed() const;
    };
    [[nodiscard]] bool has_room(Worker const& worker) const;
    [[nodiscard]] bool too_far_ahead() const;
    void queue(int worker);
    void measure(Worker& worker, std::uint64_t points, double seconds);
    void tell_those_in_order();

    Space const& space_;
    Batch batch_;
    Sink sink_;
    Settings settings_;
    ChunkSize size_;
    std::vector<Worker> workers_;
    std::deque<int> hungry_;                        ///< each worker that has room, once
    std::map<std::uint64_t, Findings> waiting_;     ///< finished, but a predecessor is not
    std::map<std::uint64_t, std::uint64_t> counts_; ///< tasks of every chunk under way
    std::uint64_t next_task_ = 0;
    std::uint64_t next_sequence_ = 0;
    std::uint64_t next_delivered_ = 0;
    std::uint64_t told_tasks_ = 0;
    std::uint64_t answers_waiting_ = 0;
    std::uint64_t under_way_ = 0;
    bool stopped_ = false;
};

}  // namespace pimdse::dse
