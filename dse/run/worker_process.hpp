#pragma once

#include "dse/space/batch.hpp"
#include "dse/space/result.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::run {

/// The exit code of a worker process that the host refused memory, a thread or a process.
inline constexpr int exit_code_of_refusal = 7;

/// Evaluates points that may crash their process. All points share one child process, which has as many threads as this
/// process and keeps its caches between batches. If the shared process dies, no point is blamed: its points are
/// evaluated again by child processes that work on one point at a time. A point whose process dies there too becomes a
/// Defect of kind crash. A point that takes too long becomes a Defect of kind timeout. If a process is killed from
/// outside, the point is tried once more. If the host refuses the process memory or a thread, or this process a child,
/// no point is blamed: evaluate() throws. A process that reads other inputs than this one did (a file has changed
/// since) is not used: points are then evaluated in this process.
class WorkerProcess {
  public:
    /// How the child process is started.
    struct Settings {
        std::vector<std::string> command;  ///< program and arguments; empty: points are evaluated in this process
        std::string space_name;            ///< used instead of the file name in messages
        std::vector<std::pair<std::string, std::string>>
            overrides;  ///< of entries in the space's text, as given on the command line
        double seconds_per_point = 3600.0;
    };
    /// At most `threads` threads may call evaluate() at the same time.
    WorkerProcess(space::Space const& space, Settings settings, int threads);
    ~WorkerProcess();
    WorkerProcess(WorkerProcess const&) = delete;
    WorkerProcess& operator=(WorkerProcess const&) = delete;

    /// One result per task, in task order. Thread-safe. Throws what sim::refused_by_host() recognises.
    [[nodiscard]] std::vector<space::Result> evaluate(space::Batch const& batch);
    /// Ends the shared process as soon as no thread uses it; the next batch starts another one.
    void release_process();

  private:
    class Child;
    struct Shared;
    struct Lease;
    [[nodiscard]] Lease take_line();
    void evaluate_together(space::Batch const& batch, std::vector<space::Result>& results);
    void evaluate_alone(space::Batch const& batch, std::vector<space::Result>& results) const;

    space::Space const& space_;
    Settings settings_;
    space::Bytes inputs_;  ///< digest of what was read for the space
    int threads_;
    std::mutex guard_;
    std::shared_ptr<Shared> shared_;
};

/// The limit in seconds that ended the evaluation of a point; nullopt for any other result, also for work that is too
/// long at any limit (sim::TooLong).
[[nodiscard]] std::optional<double> time_limit_of(models::Outcome const& outcome);

/// Sum of the evaluation times of results, without the time to start processes.
[[nodiscard]] double seconds_in(std::vector<space::Result> const& results);

/// Main loop of a worker process: reads the WorkerSetup from this descriptor, evaluates the chunks that arrive on its
/// lines until all of these are closed, and returns. Throws CodecError and InputError.
void serve_chunks(int descriptor);

}  // namespace pimdse::dse::run
