#pragma once

#include "dse/space/batch.hpp"
#include "dse/space/result.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::run {

/// Evaluates points of which one may take its process with it. They share one child process, with as many threads as
/// this one, that stays and remembers; what happens to that process is held against nobody. Where it dies, the points
/// that were with it are evaluated by children of their own, which work on one point at a time: a point whose process
/// dies there, too, becomes a Defect of kind crash. One that takes too long becomes a Defect of kind timeout. A process
/// that was killed from outside gets a second chance.
class WorkerProcess {
  public:
    /// How it is started: it reads questions and writes answers.
    struct Settings {
        std::vector<std::string>
            command;             ///< program and words; empty: not available, points are evaluated where they are
        std::string space_name;  ///< stands for the file in messages
        std::vector<std::pair<std::string, std::string>>
            overrides;  ///< of the space's text, as given on the command line
        double seconds_per_point = 3600.0;
    };
    /// At most `threads` callers at a time.
    WorkerProcess(space::Space const& space, Settings settings, int threads);
    ~WorkerProcess();
    WorkerProcess(WorkerProcess const&) = delete;
    WorkerProcess& operator=(WorkerProcess const&) = delete;

    /// One answer per task, in their order. Thread-safe.
    [[nodiscard]] std::vector<space::Result> results(space::Batch const& batch);
    /// Lets the shared process go; the next batch starts another one.
    void rest();

  private:
    class Child;
    struct Shared;
    struct Place;
    [[nodiscard]] Place take_place();
    void evaluate_together(space::Batch const& batch, std::vector<space::Result>& results);
    void evaluate_alone(space::Batch const& batch, std::vector<space::Result>& results) const;

    space::Space const& space_;
    Settings settings_;
    int threads_;
    std::mutex guard_;
    std::shared_ptr<Shared> shared_;
};

/// What the answers say they took, of one thread: the cost of points without that of starting processes.
[[nodiscard]] double seconds_in(std::vector<space::Result> const& results);

/// The side of a worker process: reads from this descriptor what it is asked about and by which lines, answers until
/// all of them have closed, and returns. Throws CodecError and InputError.
void evaluate_questions(int descriptor);

}  // namespace pimdse::dse::run
