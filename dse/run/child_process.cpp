#include "dse/run/child_process.hpp"

#include "dse/base/wire.hpp"

#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

extern char** environ;  // NOLINT: POSIX requires the user to declare it

namespace pimdse::dse::run {
namespace {

/// The environment of this process without the variables that would make the child start as an MPI rank.
std::vector<char*> child_environment() {
    constexpr std::array<std::string_view, 5> prefixes{"OMPI_", "PMIX_", "PMI_", "PRTE_", "MV2_"};
    std::vector<char*> variables;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        std::string_view const text(*variable);
        bool const of_launcher = std::any_of(prefixes.begin(), prefixes.end(),
                                             [&](std::string_view prefix) { return text.starts_with(prefix); });
        if (!of_launcher) variables.push_back(*variable);
    }
    variables.push_back(nullptr);
    return variables;
}

/// Starts the program with this socket as its standard input. Returns an errno, or 0.
int spawn(std::vector<std::string> const& command, int socket, pid_t& process) {
    std::vector<char*> words;
    for (auto const& word : command)
        words.push_back(const_cast<char*>(word.c_str()));  // NOLINT: posix_spawn does not write
    words.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, socket, STDIN_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    // A process group of its own, so that the child does not get the signals that a terminal sends to this process.
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    int const error = ::posix_spawn(&process, words[0], &files, &attributes, words.data(), child_environment().data());
    if (error != 0) process = -1;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

bool send_all(int socket, std::span<std::byte const> bytes) {
    while (!bytes.empty()) {
        ssize_t const sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
    return true;
}

/// Appends what has arrived, or waits for it; false if the other end is closed.
bool read_some(int socket, space::Bytes& into) {
    constexpr std::size_t at_once = 65'536;
    std::size_t const before = into.size();
    into.resize(before + at_once);
    ssize_t count = -1;
    do count = ::recv(socket, into.data() + before, at_once, 0);
    while (count < 0 && errno == EINTR);
    into.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    return count > 0;
}

/// Waits until there is something to read; false if there is nothing by the deadline.
bool readable(int socket, ChildProcess::Clock::time_point deadline) {
    constexpr std::chrono::milliseconds longest = std::chrono::minutes(1);
    while (true) {
        auto const left = std::chrono::ceil<std::chrono::milliseconds>(deadline - ChildProcess::Clock::now());
        pollfd ready{socket, POLLIN, 0};
        auto const wait = std::clamp(left, std::chrono::milliseconds(0), longest);
        if (::poll(&ready, 1, static_cast<int>(wait.count())) > 0) return true;
        if (ChildProcess::Clock::now() >= deadline) return false;
    }
}

}  // namespace

ChildProcess::ChildProcess(std::vector<std::string> const& command, std::string_view text) {
    std::array<int, 2> ends{-1, -1};
    int error = ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0 ? 0 : errno;
    socket_ = ends[0];
    if (error == 0) error = spawn(command, ends[1], process_);
    if (ends[1] >= 0) ::close(ends[1]);
    if (error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE) {
        if (socket_ >= 0) ::close(socket_);
        throw std::system_error(error, std::generic_category(), "a child process cannot be started");
    }
    (void)send_all(socket_, std::as_bytes(std::span(text)));  // a child that has ended is noticed by receive()
    ::shutdown(socket_, SHUT_WR);
}

ChildProcess::~ChildProcess() {
    (void)end(SIGKILL);
    if (socket_ >= 0) ::close(socket_);
}

ChildProcess::Received ChildProcess::receive(space::Bytes& into, Clock::time_point deadline) {
    while (!take_frame(into)) {
        received_.erase(received_.begin(), received_.begin() + static_cast<std::ptrdiff_t>(std::exchange(taken_, 0)));
        if (!readable(socket_, deadline)) return Received::timeout;
        if (!read_some(socket_, received_)) return Received::closed;
    }
    return Received::frame;
}

/// A frame is its length (u32), then its bytes.
bool ChildProcess::take_frame(space::Bytes& into) {
    base::wire::Reader from(std::span<std::byte const>(received_).subspan(taken_));
    auto const frame = from.take_text();
    if (!frame) return false;
    auto const bytes = std::as_bytes(std::span(*frame));
    into.assign(bytes.begin(), bytes.end());
    taken_ = received_.size() - from.rest().size();
    return true;
}

int ChildProcess::end(int signal) {
    if (process_ <= 0) return status_;
    if (signal != 0) ::kill(process_, signal);
    while (::waitpid(process_, &status_, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return status_;
}

std::string received_text(int socket) {
    space::Bytes bytes;
    while (read_some(socket, bytes)) {
    }
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

bool send_frame(int socket, std::span<std::byte const> frame) {
    space::Bytes bytes;
    base::wire::put(bytes, std::string_view(reinterpret_cast<char const*>(frame.data()), frame.size()));
    return send_all(socket, bytes);
}

}  // namespace pimdse::dse::run
