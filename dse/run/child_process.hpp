#pragma once

#include "dse/space/result.hpp"

#include <sys/types.h>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::dse::run {

/// One end of a socket that carries frames of bytes between two processes, in both directions. Not thread-safe.
class Line {
  public:
    using Clock = std::chrono::steady_clock;

    /// Owns the socket and closes it on destruction.
    explicit Line(int socket) : socket_(socket) {}
    ~Line();
    Line(Line&& other) noexcept;
    Line(Line const&) = delete;
    Line& operator=(Line const&) = delete;
    Line& operator=(Line&&) = delete;

    /// Returns false if the other end is closed.
    bool send(std::span<std::byte const> frame);

    enum class Received { frame, timeout, closed };
    /// Waits for the next frame and stores it in `into`. A frame that has arrived is returned even after the deadline.
    [[nodiscard]] Received receive(space::Bytes& into, Clock::time_point deadline = Clock::time_point::max());

  private:
    [[nodiscard]] bool take_frame(space::Bytes& into);
    [[nodiscard]] Received read_socket(Clock::time_point deadline);

    int socket_;
    space::Bytes received_;
    std::size_t taken_ = 0;  ///< bytes of `received_` that belong to frames already returned
    space::Bytes sending_;
};

/// A child process whose standard input is a line, with additional lines on request. The destructor kills it. It does
/// not run as an MPI rank even if this process does, and its standard output goes to standard error.
class ChildProcess {
  public:
    /// Starts the program `command[0]` with its arguments. If there is no such program, all lines are closed. Throws
    /// std::system_error if the host allows no more processes or descriptors.
    ChildProcess(std::vector<std::string> const& command, std::size_t additional_lines);
    ~ChildProcess() { (void)end(9); }
    ChildProcess(ChildProcess const&) = delete;
    ChildProcess& operator=(ChildProcess const&) = delete;

    /// Line 0 is the standard input of the child.
    [[nodiscard]] Line& line(std::size_t number) { return lines_[number]; }
    /// File descriptors of the lines in the child.
    [[nodiscard]] std::vector<int> const& child_descriptors() const { return child_descriptors_; }

    /// Sends the signal (0: none), waits until the child ends and returns its wait status.
    int end(int signal);

  private:
    /// Returns an errno, or 0.
    int spawn(std::vector<std::string> const& command);

    pid_t process_ = -1;
    int status_ = 0;
    std::vector<Line> lines_;
    std::vector<int> child_descriptors_;
};

/// When a child sends its results: each immediately, so that the first missing result identifies the point that killed
/// the child, or many in one frame.
enum class ReplyMode : std::uint8_t { immediate, batched };

/// The first message to a worker process: all that it needs to evaluate points.
struct WorkerSetup {
    ReplyMode reply_mode = ReplyMode::batched;
    std::vector<int> lines;  ///< file descriptors from which the worker reads chunks
    std::string space_text, space_name;
    std::vector<std::pair<std::string, std::string>> overrides;  ///< of entries in the space's text
    std::vector<std::string> objectives;
};

[[nodiscard]] space::Bytes write_setup(WorkerSetup const& setup);
/// Throws CodecError.
[[nodiscard]] WorkerSetup read_setup(std::span<std::byte const> bytes);

}  // namespace pimdse::dse::run
