#pragma once

#include "dse/evaluate/work.hpp"
#include "dse/job/chunk_size.hpp"

#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

namespace pimdse::dse::job {

/// Who gets which tasks: the coordinator without its messages, so that tests and the scale model drive it without MPI.
/// Workers are numbered from 0.
class Dispatcher {
  public:
    struct Settings {
        int workers = 1;
        int in_flight = chunks_in_flight;  ///< chunks a worker holds, so that it never waits for the next one
        int most_in_flight = 64;           ///< where chunks are so short that two of them would not bridge a round trip
        double smallest_work_seconds = 10e-3;  ///< per chunk; raised with the number of workers
        double round_trip_seconds = 2e-3;      ///< work a worker holds at least, as far as most_in_flight allows
        std::uint64_t largest_chunk = 65'536;
    };
    /// `work` must outlive this; its `more`, `left` and `returned` are called.
    Dispatcher(evaluate::Work const& work, Settings settings);

    /// The next chunk and the worker to give it to, if there is work and a worker with room; remembers that it has it.
    /// Every worker gets a first chunk before anyone gets a second one, the worker with the highest number first.
    struct Handout {
        int worker = 0;
        evaluate::Chunk chunk;
    };
    [[nodiscard]] std::optional<Handout> next();
    /// A worker finished a chunk, of which `points` were answered (fewer than it had only after a stop). `seconds` is
    /// what the chunk took of the whole worker: of all its threads, divided by their number.
    void finished(int worker, std::uint64_t sequence, std::uint64_t points, double seconds);
    /// A worker has threads without work although it holds all the chunks it may: long points keep those from
    /// finishing. It gets another.
    void starving(int worker);
    /// Another worker; returns its number.
    int add_worker();
    /// This worker has gone: what it held is given back to the work, and it gets nothing more.
    void lost(int worker);
    /// No more chunks are handed out; those under way are still waited for.
    void stop() { stopped_ = true; }

    [[nodiscard]] bool done() const { return under_way_.empty() && (stopped_ || over_); }
    [[nodiscard]] int held_by(int worker) const { return workers_[static_cast<std::size_t>(worker)].held; }

  private:
    struct Worker {
        int held = 0;              ///< chunks
        std::uint64_t points = 0;  ///< in them
        bool queued = false;       ///< is in hungry_
        bool gone = false;
        double expected = 0.0, took = 0.0;  ///< seconds for its chunks, had it been like all; its own
        [[nodiscard]] double speed() const;
    };
    struct UnderWay {
        int worker = 0;
        task::Batch tasks;
    };
    [[nodiscard]] bool has_room(Worker const& worker) const;
    void queue(int worker);
    void measure(Worker& worker, std::uint64_t points, double seconds);

    evaluate::Work const& work_;
    Settings settings_;
    ChunkSize size_;
    std::vector<Worker> workers_;
    std::deque<int> hungry_;                                 ///< each worker that has room, once
    std::unordered_map<std::uint64_t, UnderWay> under_way_;  ///< every chunk that is, by its number
    std::uint64_t next_sequence_ = 0;
    bool over_ = false;
    bool stopped_ = false;
};

}  // namespace pimdse::dse::job
