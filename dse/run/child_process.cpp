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
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

extern char** environ;  // NOLINT: POSIX requires the user to declare it

namespace pimdse::dse::run {
namespace {

constexpr std::size_t head = sizeof(std::uint32_t);  // bytes of the length that precedes each frame

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

/// Timeout for poll() [ms], at most 60 s; -1: no timeout.
int milliseconds_until(Line::Clock::time_point deadline) {
    if (deadline == Line::Clock::time_point::max()) return -1;
    auto const left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Line::Clock::now()).count();
    return static_cast<int>(std::clamp<long long>(left, 0, 60'000));
}

}  // namespace

Line::Line(Line&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      received_(std::move(other.received_)),
      taken_(other.taken_),
      sending_(std::move(other.sending_)) {}

Line::~Line() {
    if (socket_ >= 0) ::close(socket_);
}

bool Line::send(std::span<std::byte const> frame) {
    sending_.clear();
    base::wire::put(sending_, static_cast<std::uint32_t>(frame.size()));
    sending_.insert(sending_.end(), frame.begin(), frame.end());
    for (std::size_t sent = 0; sent < sending_.size();) {
        ssize_t const n = ::send(socket_, sending_.data() + sent, sending_.size() - sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        sent += static_cast<std::size_t>(n);
    }
    return true;
}

Line::Received Line::receive(space::Bytes& into, Clock::time_point deadline) {
    while (!take_frame(into)) {
        if (auto const received = read_socket(deadline); received != Received::frame) return received;
    }
    return Received::frame;
}

bool Line::take_frame(space::Bytes& into) {
    auto const rest = std::span(received_).subspan(taken_);
    if (rest.size() < head) return false;
    std::size_t const length = base::wire::number_at<std::uint32_t>(rest.data());
    if (rest.size() - head < length) return false;
    auto const frame = rest.subspan(head, length);
    into.assign(frame.begin(), frame.end());
    taken_ += head + length;
    return true;
}

Line::Received Line::read_socket(Clock::time_point deadline) {
    constexpr std::size_t at_once = 65'536;
    if (socket_ < 0) return Received::closed;
    received_.erase(received_.begin(), received_.begin() + static_cast<std::ptrdiff_t>(std::exchange(taken_, 0)));
    while (true) {
        pollfd ready{socket_, POLLIN, 0};
        int const changed = ::poll(&ready, 1, milliseconds_until(deadline));
        if (changed < 0 && errno != EINTR) return Received::closed;
        if (changed <= 0) {
            if (Clock::now() >= deadline) return Received::timeout;
            continue;
        }
        std::size_t const before = received_.size();
        received_.resize(before + at_once);
        ssize_t const n = ::recv(socket_, received_.data() + before, at_once, 0);
        received_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
        if (n < 0 && errno == EINTR) continue;
        return n > 0 ? Received::frame : Received::closed;
    }
}

ChildProcess::ChildProcess(std::vector<std::string> const& command, std::size_t additional_lines) {
    int error = 0;
    for (std::size_t i = 0; i <= additional_lines; ++i) {
        std::array<int, 2> ends{-1, -1};
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) error = errno;
        lines_.emplace_back(ends[0]);
        child_descriptors_.push_back(ends[1]);
    }
    if (error == 0) error = spawn(command);
    for (int const end : child_descriptors_) {
        if (end >= 0) ::close(end);
    }
    child_descriptors_.front() = STDIN_FILENO;
    if (error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE)
        throw std::system_error(error, std::generic_category(), "a worker process cannot be started");
}

int ChildProcess::spawn(std::vector<std::string> const& command) {
    std::vector<char*> words;
    for (auto const& word : command)
        words.push_back(const_cast<char*>(word.c_str()));  // NOLINT: posix_spawn does not write
    words.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, child_descriptors_.front(), STDIN_FILENO);
    // Duplicating a descriptor onto itself clears its close-on-exec flag, in this child only.
    for (std::size_t i = 1; i < child_descriptors_.size(); ++i)
        posix_spawn_file_actions_adddup2(&files, child_descriptors_[i], child_descriptors_[i]);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    // A process group of its own, so that the child does not get the signals that a terminal sends to this process.
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    int const error = ::posix_spawn(&process_, words[0], &files, &attributes, words.data(), child_environment().data());
    if (error != 0) process_ = -1;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

int ChildProcess::end(int signal) {
    if (process_ <= 0) return status_;
    if (signal != 0) ::kill(process_, signal);
    while (::waitpid(process_, &status_, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return status_;
}

namespace {

template <class T>
T read_whole(std::optional<T> value) {
    if (!value) throw space::CodecError("the setup message of a worker process is truncated");
    return *std::move(value);
}

/// The length of a list. Each element has at least four bytes; a length that the remaining bytes cannot hold is refused
/// before memory is allocated for it.
std::size_t take_count(base::wire::Reader& from) {
    auto const count = read_whole(from.take<std::uint32_t>());
    if (count > from.rest().size() / sizeof(std::uint32_t))
        throw space::CodecError("the setup message of a worker process is truncated");
    return count;
}

void put_text(space::Bytes& into, std::string const& text) { base::wire::put(into, std::string_view(text)); }

std::string take_text(base::wire::Reader& from) { return std::string(read_whole(from.take_text())); }

}  // namespace

space::Bytes write_setup(WorkerSetup const& setup) {
    space::Bytes bytes;
    bytes.reserve(setup.space_text.size() + 1024);
    base::wire::put(bytes, static_cast<std::uint8_t>(setup.reply_mode));
    base::wire::put(bytes, static_cast<std::uint32_t>(setup.lines.size()));
    for (int const line : setup.lines) base::wire::put(bytes, static_cast<std::uint32_t>(line));
    put_text(bytes, setup.space_text);
    put_text(bytes, setup.space_name);
    base::wire::put(bytes, static_cast<std::uint32_t>(setup.overrides.size()));
    for (auto const& [name, value] : setup.overrides) {
        put_text(bytes, name);
        put_text(bytes, value);
    }
    base::wire::put(bytes, static_cast<std::uint32_t>(setup.objectives.size()));
    for (auto const& objective : setup.objectives) put_text(bytes, objective);
    return bytes;
}

WorkerSetup read_setup(std::span<std::byte const> bytes) {
    base::wire::Reader from(bytes);
    WorkerSetup setup;
    setup.reply_mode = static_cast<ReplyMode>(read_whole(from.take<std::uint8_t>()));
    setup.lines.resize(take_count(from));
    for (int& line : setup.lines) line = static_cast<int>(read_whole(from.take<std::uint32_t>()));
    setup.space_text = take_text(from);
    setup.space_name = take_text(from);
    setup.overrides.resize(take_count(from));
    for (auto& [name, value] : setup.overrides) {
        name = take_text(from);
        value = take_text(from);
    }
    setup.objectives.resize(take_count(from));
    for (auto& objective : setup.objectives) objective = take_text(from);
    return setup;
}

}  // namespace pimdse::dse::run
