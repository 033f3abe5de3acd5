#pragma once

#include "dse/space/result.hpp"

#include <sys/types.h>
#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// The child's side: everything that the parent sent to this socket.
[[nodiscard]] std::string received_text(int socket);
/// The child's side: replies with a frame; false if the parent has closed the socket.
bool send_frame(int socket, std::span<std::byte const> frame);

}  // namespace pimdse::dse::run
