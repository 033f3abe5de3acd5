#pragma once

#include "dse/run/transport.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

namespace pimdse::dse::run {

/// Chunks that a worker normally holds: the next one is already there when one ends.
inline constexpr int chunks_in_flight = 2;

/// Chooses the number of points per chunk: enough that the evaluation time hides the cost of handing the chunk out, few
/// enough that the end of a batch is shared among workers. Learns from the measured cost of all workers. Affects speed
/// only, never a result.
class ChunkSize {
  public:
    struct Aim {
        double target_seconds = 10e-3;  ///< work in one chunk
        double min_seconds = 0.0;       ///< work in one chunk at the end; smaller chunks cost more than sharing gains
        int workers = 1;                ///< chunks that share the remaining points
        std::uint64_t largest = 65'536;
    };
    explicit ChunkSize(Aim aim) : aim_(aim) {}

    /// Points for the next chunk when `left` are not handed out yet; between 1 and `left`. `speed` is the speed of the
    /// worker relative to the mean of all.
    [[nodiscard]] std::uint64_t next(std::uint64_t left, double speed = 1.0) const {
        double const fair_share = static_cast<double>(left) * speed / (2.0 * aim_.workers) + 1.0;
        double const grown =
            std::min({points_in(aim_.target_seconds, speed), growth_limit(), static_cast<double>(aim_.largest)});
        double const shared =
            std::min(grown, std::max(std::min(fair_share, cautious_points(left, speed)), min_points(speed)));
        return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(shared), 1, left);
    }

    /// Records that one worker needed `seconds` for `points`.
    void measured(std::uint64_t points, double seconds) {
        double const keep = 1.0 - 1.0 / std::max(4.0, static_cast<double>(aim_.workers));
        points_ = keep * points_ + static_cast<double>(points);
        seconds_ = keep * seconds_ + std::max(seconds, 1e-9 * static_cast<double>(points));
        seen_ += static_cast<double>(points);
        largest_seen_ = std::max(largest_seen_, points);
        double const spent = std::max(seconds, 1e-9 * static_cast<double>(points));
        seen_seconds_ += spent;
        // Decays slowly, by work and not by number of points: while expensive points are in flight, mainly cheap ones
        // return.
        max_seconds_per_point_ =
            std::max(spent / static_cast<double>(points), max_seconds_per_point_ * (1.0 - spent / seen_seconds_));
    }

    /// Recent mean cost of a point on one worker [s]; 0 if nothing has been measured.
    [[nodiscard]] double seconds_per_point() const { return points_ > 0.0 ? seconds_ / points_ : 0.0; }

  private:
    static constexpr double first_ = 4.0;

    [[nodiscard]] double points_in(double seconds, double speed) const {
        return points_ > 0.0 ? seconds * speed / seconds_per_point() : first_;
    }

    /// Limit because cheap early points do not predict the cost of later ones: four times the largest returned chunk,
    /// or an eighth of all returned points.
    [[nodiscard]] double growth_limit() const {
        return std::max({first_, 4.0 * static_cast<double>(largest_seen_), seen_ / 8.0});
    }

    /// Points that take at most the target time, or half of the remaining time per worker, even if each costs as much
    /// as the most expensive recent ones: a chunk at the end of the batch may lie in another region of the space than
    /// those measured last.
    [[nodiscard]] double cautious_points(std::uint64_t left, double speed) const {
        if (seen_ == 0.0) return first_;
        double const rest = static_cast<double>(left) * seconds_per_point_so_far() / aim_.workers;
        return std::max(aim_.target_seconds, rest / 2.0) * std::min(speed, 1.0) /
               std::max(max_seconds_per_point_, 1e-9);
    }

    /// Uses the mean cost over the whole run too: while expensive points are in flight, mainly cheap ones return.
    [[nodiscard]] double min_points(double speed) const {
        return seen_ > 0.0 ? aim_.min_seconds * speed / std::max(seconds_per_point(), seconds_per_point_so_far()) : 1.0;
    }

    [[nodiscard]] double seconds_per_point_so_far() const { return seen_seconds_ / seen_; }

    Aim aim_;
    double points_ = 0.0, seconds_ = 0.0;  ///< recent sums: older chunks decay
    double seen_ = 0.0, seen_seconds_ = 0.0;
    double max_seconds_per_point_ = 0.0;  ///< of the most expensive chunk; decays as work proceeds
    std::uint64_t largest_seen_ = 0;
};

/// Source of the tasks that are still to be evaluated.
class TaskSource {
  public:
    virtual ~TaskSource() = default;
    /// At most `max` tasks for one worker. An empty batch means that more results are needed first; nullopt means that
    /// there will be no more tasks.
    [[nodiscard]] virtual std::optional<space::Batch> more(std::uint64_t max) = 0;
    /// Estimate of the number of tasks that more() will still return.
    [[nodiscard]] virtual std::uint64_t left() const = 0;
};

/// Decides which worker gets which tasks, and how many. It sends no messages, so tests and the scale model use it
/// without MPI. Workers are numbered from 0.
class Dispatcher {
  public:
    struct Settings {
        int workers = 1;
        int in_flight = chunks_in_flight;  ///< chunks that a worker holds, so that it never waits for the next one
        int max_in_flight = 64;  ///< if chunks are so short that `in_flight` of them do not cover a round trip
        double smallest_work_seconds = 10e-3;  ///< per chunk; raised with the number of workers
        double round_trip_seconds = 2e-3;      ///< least work that a worker holds, as far as max_in_flight allows
        std::uint64_t largest_chunk = 65'536;
    };
    /// `tasks` must outlive this.
    Dispatcher(TaskSource& tasks, Settings settings);

    /// The next chunk and its worker, if there is work and a worker with room; the chunk is then in flight. Every
    /// worker gets a first chunk before any worker gets a second one, the worker with the highest number first.
    struct Handout {
        int worker = 0;
        Chunk chunk;
    };
    [[nodiscard]] std::optional<Handout> next();
    /// Records that a worker has finished a chunk, of which `points` are evaluated (fewer than its tasks only after a
    /// stop). `seconds` is the thread time of the chunk divided by the number of threads of the worker.
    void finished(int worker, std::uint64_t sequence, std::uint64_t points, double seconds);
    /// Gives another chunk to a worker that has idle threads although it holds all its chunks, because long points keep
    /// these from finishing.
    void starving(int worker);
    /// Hands out no more chunks; those in flight are still awaited.
    void stop() { stopped_ = true; }

    [[nodiscard]] bool done() const { return in_flight_.empty() && (stopped_ || over_); }
    [[nodiscard]] int held_by(int worker) const { return workers_[static_cast<std::size_t>(worker)].held; }

  private:
    struct Worker {
        int held = 0;                   ///< chunks
        std::uint64_t points = 0;       ///< in them
        bool queued = false;            ///< is in workers_with_room_
        double expected_seconds = 0.0;  ///< of its chunks at the mean speed of all workers
        double measured_seconds = 0.0;
        [[nodiscard]] double speed() const;
    };
    struct InFlight {
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
    std::deque<int> workers_with_room_;                      ///< each once
    std::unordered_map<std::uint64_t, InFlight> in_flight_;  ///< chunks by their sequence number
    std::uint64_t next_sequence_ = 0;
    bool over_ = false;
    bool stopped_ = false;
};

}  // namespace pimdse::dse::run
