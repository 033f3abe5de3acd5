#pragma once

#include "dse/task/answer_codec.hpp"

#include <sys/types.h>
#include <chrono>
#include <span>
#include <string>
#include <vector>

namespace pimdse::dse::evaluate {

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
    [[nodiscard]] Heard hear(task::Bytes& into, Clock::time_point deadline = Clock::time_point::max());

  private:
    [[nodiscard]] bool take_frame(task::Bytes& into);
    [[nodiscard]] Heard receive(Clock::time_point deadline);

    int socket_;
    task::Bytes received_;
    std::size_t taken_ = 0;  ///< bytes of `received_` that belong to frames heard already
    task::Bytes sending_;
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

}  // namespace pimdse::dse::evaluate
