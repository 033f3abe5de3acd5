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

/// One end of a conversation between two processes: frames of bytes, either way. One thread at a time.
class Line {
  public:
    using Clock = std::chrono::steady_clock;

    /// Takes the socket and closes it at the end.
    explicit Line(int socket) : socket_(socket) {}
    ~Line();
    Line(Line&& other) noexcept;
    Line(Line const&) = delete;
    Line& operator=(Line const&) = delete;
    Line& operator=(Line&&) = delete;

    /// False if nobody is there to hear it.
    bool send(std::span<std::byte const> frame);

    enum class Heard { frame, late, gone };
    /// The next frame, in `into`. What has arrived by then is heard even after the deadline.
    [[nodiscard]] Heard hear(space::Bytes& into, Clock::time_point deadline = Clock::time_point::max());

  private:
    [[nodiscard]] bool take_frame(space::Bytes& into);
    [[nodiscard]] Heard receive(Clock::time_point deadline);

    int socket_;
    space::Bytes received_;
    std::size_t taken_ = 0;  ///< bytes of `received_` that belong to frames heard already
    space::Bytes sending_;
};

/// A child process with a line as its standard input and some more; killed when the object goes. It is no rank,
/// whatever this process is, and what it prints goes to standard error.
class ChildProcess {
  public:
    /// Starts program and words. Where that fails the lines say that nobody is there.
    ChildProcess(std::vector<std::string> const& command, std::size_t more_lines);
    ~ChildProcess() { (void)end(9); }
    ChildProcess(ChildProcess const&) = delete;
    ChildProcess& operator=(ChildProcess const&) = delete;

    /// Number 0 is its standard input.
    [[nodiscard]] Line& line(std::size_t number) { return lines_[number]; }
    /// The descriptors by which the child knows its lines.
    [[nodiscard]] std::vector<int> const& its_descriptors() const { return its_; }

    /// Sends the signal (0: none), waits for the end and returns the wait status.
    int end(int signal);

  private:
    void spawn(std::vector<std::string> const& command);

    pid_t process_ = -1;
    int status_ = 0;
    std::vector<Line> lines_;
    std::vector<int> its_;
};

/// When a child writes what it has: every answer at once, so that the first one missing is the point that killed it, or
/// many together.
enum class Telling : std::uint8_t { each_at_once, together };

/// What a worker process must know before it can answer.
struct WorkerQuestion {
    Telling telling = Telling::together;
    std::vector<int> lines;  ///< descriptors by which it is asked
    std::string space_text, space_name;
    std::vector<std::pair<std::string, std::string>> overrides;  ///< of the space's text
    std::vector<std::string> objectives;
};

[[nodiscard]] space::Bytes write_question(WorkerQuestion const& question);
/// Throws CodecError.
[[nodiscard]] WorkerQuestion read_question(std::span<std::byte const> bytes);

}  // namespace pimdse::dse::run
