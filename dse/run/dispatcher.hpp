#pragma once

#include "dse/run/transport.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

namespace pimdse::dse::run {

/// How many chunks a worker holds as a rule: the next one is there when one ends.
inline constexpr int chunks_in_flight = 2;

/// How many points go into one piece of work: enough that its cost hides the cost of handing it out, few enough that
/// the end of a batch is shared. Learns from measured cost, of all workers together. Affects speed only, never an
/// answer.
class ChunkSize {
  public:
    struct Aim {
        double target_seconds = 10e-3;  ///< work in one piece
        double min_seconds =
            0.0;          ///< work in one piece at the end, below which handing out costs more than sharing gains
        int workers = 1;  ///< how many share what is left
        std::uint64_t largest = 65'536;
    };
    explicit ChunkSize(Aim aim) : aim_(aim) {}

    /// Points for the next piece when `left` are not handed out yet; between 1 and `left`. `speed` is that of the
    /// worker, 1 = like all.
    [[nodiscard]] std::uint64_t next(std::uint64_t left, double speed = 1.0) const {
        double const fair_share = static_cast<double>(left) * speed / (2.0 * aim_.workers) + 1.0;
        double const grown =
            std::min({points_in(aim_.target_seconds, speed), growth_limit(), static_cast<double>(aim_.largest)});
        double const shared = std::min(grown, std::max(std::min(fair_share, careful(left, speed)), min(speed)));
        return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(shared), 1, left);
    }

    /// `points` took `seconds` of one worker.
    void measured(std::uint64_t points, double seconds) {
        double const keep = 1.0 - 1.0 / std::max(4.0, static_cast<double>(aim_.workers));
        points_ = keep * points_ + static_cast<double>(points);
        seconds_ = keep * seconds_ + std::max(seconds, 1e-9 * static_cast<double>(points));
        seen_ += static_cast<double>(points);
        largest_seen_ = std::max(largest_seen_, points);
        double const spent = std::max(seconds, 1e-9 * static_cast<double>(points));
        seen_seconds_ += spent;
        // Slowly, by work and not by number: when dear points are under way, cheap ones are what comes back.
        dearest_ = std::max(spent / static_cast<double>(points), dearest_ * (1.0 - spent / seen_seconds_));
    }

    /// What a point costs a worker by what was measured lately; 0 = nothing was.
    [[nodiscard]] double seconds_per_point() const { return points_ > 0.0 ? seconds_ / points_ : 0.0; }

  private:
    static constexpr double first_ = 4.0;

    [[nodiscard]] double points_in(double seconds, double speed) const {
        return points_ > 0.0 ? seconds * speed / seconds_per_point() : first_;
    }

    /// Cheap early points may not speak for later ones: a piece is at most four times as large as one that came back,
    /// or a small part of all that did.
    [[nodiscard]] double growth_limit() const {
        return std::max({first_, 4.0 * static_cast<double>(largest_seen_), seen_ / 8.0});
    }

    /// Points that take no longer than a good part of what is left for everyone, even if they are as dear as any
    /// lately: a piece at the end of the batch may lie in another region of the space than those that were measured
    /// last.
    [[nodiscard]] double careful(std::uint64_t left, double speed) const {
        if (seen_ == 0.0) return first_;
        double const rest = static_cast<double>(left) * seconds_per_point_so_far() / aim_.workers;
        return std::max(aim_.target_seconds, rest / 2.0) * std::min(speed, 1.0) / std::max(dearest_, 1e-9);
    }

    /// By what points cost all the time: when dear ones are under way, it is the cheap ones that come back.
    [[nodiscard]] double min(double speed) const {
        return seen_ > 0.0 ? aim_.min_seconds * speed / std::max(seconds_per_point(), seconds_per_point_so_far()) : 1.0;
    }

    [[nodiscard]] double seconds_per_point_so_far() const { return seen_seconds_ / seen_; }

    Aim aim_;
    double points_ = 0.0, seconds_ = 0.0;  ///< of late: older pieces count less and less
    double seen_ = 0.0, seen_seconds_ = 0.0;
    double dearest_ = 0.0;  ///< seconds per point of the dearest piece, forgotten as work goes on
    std::uint64_t largest_seen_ = 0;
};

/// The tasks that are still to be evaluated.
class TaskSource {
  public:
    virtual ~TaskSource() = default;
    /// At most `max` tasks for one worker; an empty batch where there are none until more results have come, nothing
    /// where no more will come.
    [[nodiscard]] virtual std::optional<space::Batch> more(std::uint64_t max) = 0;
    /// About how many tasks more() will still give.
    [[nodiscard]] virtual std::uint64_t left() const = 0;
    /// The worker that had these tasks is lost. Those without a result will be given by more() again.
    virtual void give_back(space::Batch const& tasks) = 0;
};

/// Decides which worker gets which tasks, and how many; no messages, so that tests and the scale model drive it without
/// MPI. Workers are numbered from 0.
class Dispatcher {
  public:
    struct Settings {
        int workers = 1;
        int in_flight = chunks_in_flight;  ///< chunks a worker holds, so that it never waits for the next one
        int max_in_flight = 64;            ///< where chunks are so short that two of them would not bridge a round trip
        double smallest_work_seconds = 10e-3;  ///< per chunk; raised with the number of workers
        double round_trip_seconds = 2e-3;      ///< work a worker holds at least, as far as max_in_flight allows
        std::uint64_t largest_chunk = 65'536;
    };
    /// `tasks` must outlive this.
    Dispatcher(TaskSource& tasks, Settings settings);

    /// The next chunk and the worker to give it to, if there is work and a worker with room; remembers that it has it.
    /// Every worker gets a first chunk before anyone gets a second one, the worker with the highest number first.
    struct Handout {
        int worker = 0;
        Chunk chunk;
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
    /// This worker has gone: what it held is given back to the source, and it gets nothing more.
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
        space::Batch tasks;
    };
    [[nodiscard]] bool has_room(Worker const& worker) const;
    void queue(int worker);
    void measure(Worker& worker, std::uint64_t points, double seconds);

    TaskSource& tasks_;
    Settings settings_;
    ChunkSize size_;
    std::vector<Worker> workers_;
    std::deque<int> hungry_;                                 ///< each worker that has room, once
    std::unordered_map<std::uint64_t, UnderWay> under_way_;  ///< every chunk that is, by its number
    std::uint64_t next_sequence_ = 0;
    bool over_ = false;
    bool stopped_ = false;
};

}  // namespace pimdse::dse::run
