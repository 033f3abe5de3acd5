#pragma once

#include "dse/run/work_settings.hpp"
#include "dse/search/result_store.hpp"
#include "dse/space/batch.hpp"
#include "dse/space/result.hpp"
#include "dse/store/journal.hpp"

#include <sys/types.h>
#include <array>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::run {

/// A child process whose standard input is a socket: it gets one text and replies with frames of bytes. The destructor
/// kills it. It does not run as an MPI rank even if this process does, and its standard output goes to standard error.
/// Not thread-safe.
class ChildProcess {
  public:
    using Clock = std::chrono::steady_clock;

    /// Starts the program `command[0]` with its arguments; its input is `text`. If it does not exist, receive()
    /// returns `closed`. Throws std::system_error if the host allows no more processes or descriptors.
    ChildProcess(std::vector<std::string> const& command, std::string_view text);
    ~ChildProcess();
    ChildProcess(ChildProcess const&) = delete;
    ChildProcess& operator=(ChildProcess const&) = delete;

    enum class Received { frame, timeout, closed };
    /// Waits for the next frame and stores it in `into`.
    [[nodiscard]] Received receive(space::Bytes& into, Clock::time_point deadline);

    /// Sends the signal (0: none), waits until the child ends and returns its wait status.
    int end(int signal);

  private:
    [[nodiscard]] bool take_frame(space::Bytes& into);

    pid_t process_ = -1;
    int status_ = 0;
    int socket_ = -1;
    space::Bytes received_;
    std::size_t taken_ = 0;  ///< bytes of `received_` that belong to frames already returned
};

/// The exit code of a child that the host refused memory, a thread or a process.
inline constexpr int exit_code_of_refusal = 7;

/// Evaluates points that may end their process: a child runs the program again and evaluates them one after another.
/// A point that ends the child becomes a Defect of kind crash, one that takes too long a Defect of kind timeout, and
/// another child goes on behind it. If a child is killed from outside, the point is tried once more. `take` gets the
/// results in task order; if it returns false, the child is killed and no more points are evaluated. A child that
/// cannot be started, or reads other inputs than this process did (a file has changed since), is not used: points are
/// then evaluated in this process. If the host refuses the child memory or a thread, or this process a child, no point
/// is blamed: throws what sim::refused_by_host() recognises.
void evaluate_apart(space::Space const& space, WorkSettings const& settings, space::Batch const& batch,
                    std::function<bool(space::Result)> const& take);

/// The child's side: reads a request from this socket and replies with one frame for each result. The request is a
/// JSON object: text of the space, objectives, digest of its inputs, fidelity, and the ids of the points. `name` and
/// `overrides` of the space are those with which the parent read it. Throws InputError and MismatchError.
void serve_apart(int socket, std::string const& name,
                 std::vector<std::pair<std::string, std::string>> const& overrides);

/// The limit in seconds that ended the evaluation of a point; nullopt for any other result, also for work that is too
/// long at any limit (sim::TooLong).
[[nodiscard]] std::optional<double> time_limit_of(models::Outcome const& outcome);

/// Points that an earlier run submitted without getting a result, or stopped at its time limit. One of them may have
/// crashed that run, so a child process evaluates them (evaluate_apart()). Stored as runs of ids, because ten thousand
/// ranks may each have held 131,072 of them.
class Quarantine {
  public:
    /// Adds the points of a journal mark.
    void started(store::journal::Started const& mark);
    /// Removes points that have a result or lie in a block that has one; to be called when the journal has been read.
    void settle(search::ResultStore const& store);

    /// Adds a point that took too long; to be called after settle().
    void add(space::Task task) { ids_[static_cast<std::size_t>(task.fidelity)].add(task.point); }

    [[nodiscard]] bool empty() const;
    [[nodiscard]] std::uint64_t size() const;
    [[nodiscard]] bool contains(space::Task task) const { return at(task.fidelity).contains(task.point); }
    [[nodiscard]] space::IdSet const& at(models::Fidelity fidelity) const {
        return ids_[static_cast<std::size_t>(fidelity)];
    }

  private:
    std::array<space::IdSet, models::fidelity_names.size()> ids_;
    std::vector<space::Task> listed_;  ///< points of marks that are lists, until settle() is called
};

}  // namespace pimdse::dse::run
