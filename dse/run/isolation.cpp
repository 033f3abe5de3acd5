#include "dse/run/isolation.hpp"

#include "dse/run/stop_signal_list.hpp"
#include "dse/search/point_counts.hpp"
#include "dse/space/evaluation.hpp"
#include "dse/space/input_hashes.hpp"
#include "dse/space/search_settings.hpp"
#include "dse/space/space.hpp"
#include "dse/space/space_reader.hpp"
#include "sim/base/digest.hpp"
#include "sim/base/file_error.hpp"
#include "sim/base/json.hpp"
#include "sim/base/wire.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <numeric>
#include <system_error>

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

using Received = ChildProcess::Received;

constexpr double seconds_to_start = 120.0;  // to read a space and prepare its machines normally takes below a second

ChildProcess::Clock::time_point deadline_in(double seconds) {
    std::chrono::duration<double> const time(std::min(seconds, 1e9));
    return ChildProcess::Clock::now() + std::chrono::duration_cast<ChildProcess::Clock::duration>(time);
}

/// The digest of the inputs of a space as it was read.
std::string digest_of_inputs(space::Space const& space) {
    std::string text;
    for (auto const& [name, sum] : space::input_hashes(space)) text += fmt::format("{} {}\n", sum, name);
    return sim::sha256(text);
}

/// What serve_apart() reads.
std::string request_of(space::Space const& space, space::Batch const& batch) {
    sim::Json request{{"space", space.text()},
                      {"objectives", sim::Json::array()},
                      {"inputs", digest_of_inputs(space)},
                      {"fidelity", batch.fidelity()},
                      {"points", sim::Json::array()}};
    for (auto const& objective : space.objectives())
        request["objectives"].push_back(space.metrics()[objective.metric].name);
    for (std::uint64_t i = 0; i < batch.size(); ++i) request["points"].push_back(index_of(batch.task(i).point));
    return request.dump();
}

bool killed_from_outside(int status) {
    if (!WIFSIGNALED(status)) return false;
    int const number = WTERMSIG(status);
    return number == SIGKILL || std::find(stop_signals.begin(), stop_signals.end(), number) != stop_signals.end();
}

/// Throws if the host is to blame for the end of a process.
void throw_if_refused(int status) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == exit_code_of_refusal)
        throw std::system_error(std::make_error_code(std::errc::not_enough_memory), "a child process ended");
}

models::Defect crash(int status) {
    std::string const how = WIFSIGNALED(status)
                                ? fmt::format("signal {}, {}", WTERMSIG(status), ::strsignal(WTERMSIG(status)))
                                : fmt::format("exit code {}", WEXITSTATUS(status));
    return {fmt::format("its process died twice (the second time while it evaluated this point alone: {})", how),
            models::DefectKind::crash};
}

constexpr std::string_view too_slow = "took longer than ";  // before the limit, which time_limit_of() reads

space::Result timeout_result(space::Task task, double seconds) {
    return {task, models::Defect{fmt::format("{}{} s", too_slow, seconds), models::DefectKind::timeout}, seconds, 0};
}

/// True if the child says that it has read the space with the same inputs.
bool is_ready(ChildProcess& child) {
    space::Bytes ready;
    auto const received = child.receive(ready, deadline_in(seconds_to_start));
    if (received == Received::closed) throw_if_refused(child.end(0));
    return received == Received::frame;
}

/// The child's side: replies with a frame; false if the parent has closed the socket.
bool send_frame(int socket, std::span<std::byte const> frame) {
    space::Bytes bytes;
    sim::wire::put(bytes, std::string_view(reinterpret_cast<char const*>(frame.data()), frame.size()));
    return send_all(socket, bytes);
}

/// The child's side: everything that the parent sent to this socket.
std::string received_text(int socket) {
    space::Bytes bytes;
    while (read_some(socket, bytes)) {
    }
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
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
    sim::wire::Reader from(std::span<std::byte const>(received_).subspan(taken_));
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

void evaluate_apart(space::Space const& space, WorkSettings const& settings, space::Batch const& batch,
                    std::function<bool(space::Result)> const& take) {
    std::uint64_t next = 0;
    std::optional<std::uint64_t> retried;
    while (next < batch.size() && !settings.child.empty()) {
        ChildProcess child(settings.child, request_of(space, batch.part(next, batch.size() - next)));
        if (!is_ready(child)) break;
        auto received = Received::frame;
        for (space::Bytes frame; next < batch.size(); ++next) {
            received = child.receive(frame, deadline_in(settings.point_seconds));
            if (received != Received::frame) break;
            if (!take(std::move(space::decode(frame).at(0)))) return;
        }
        if (next == batch.size()) return;
        auto failed = timeout_result(batch.task(next), settings.point_seconds);
        if (received == Received::closed) {
            int const status = child.end(0);
            throw_if_refused(status);
            if (killed_from_outside(status) && std::exchange(retried, next) != next) continue;
            failed = {batch.task(next), crash(status), 0.0, 0};
        }
        ++next;
        if (!take(std::move(failed))) return;
    }
    while (next < batch.size()) {
        if (!take(evaluate(space, batch.task(next++)))) return;
    }
}

void serve_apart(int socket, std::string const& name,
                 std::vector<std::pair<std::string, std::string>> const& overrides) {
    auto const request = sim::Json::parse_or_null(received_text(socket));
    if (request.is_null()) return;  // the run ended while it asked
    auto space = space::parse_space(request["space"].get<std::string>(), name, overrides);
    space.set_objectives(
        space::parse_objectives(space.plain_metrics(), request["objectives"].get<std::vector<std::string>>()));
    if (digest_of_inputs(space) != request["inputs"].get<std::string>())
        throw sim::MismatchError(
            "{}: a file that it names has changed since the run began: points that an earlier run did not finish are "
            "evaluated with what the run has read",
            name);
    send_frame(socket, {});  // ready
    auto const fidelity = static_cast<models::Fidelity>(request["fidelity"].get<std::uint8_t>());
    for (auto const& point : request["points"]) {
        space::Bytes bytes;
        encode(evaluate(space, {space::PointId{point.get<std::uint64_t>()}, fidelity}), bytes);
        if (!send_frame(socket, bytes)) return;
    }
}

std::optional<double> time_limit_of(models::Outcome const& outcome) {
    auto const* defect = std::get_if<models::Defect>(&outcome);
    if (defect == nullptr || defect->kind != models::DefectKind::timeout || !defect->what.starts_with(too_slow))
        return std::nullopt;
    double limit = 0.0;
    auto const text = std::string_view(defect->what).substr(too_slow.size());
    auto const read = std::from_chars(text.data(), text.data() + text.size(), limit);
    return read.ec == std::errc{} ? std::optional(limit) : std::nullopt;
}

void Quarantine::started(store::journal::Started const& mark) {
    for (auto const point : mark.points) listed_.push_back({point, mark.fidelity});
    if (mark.points.empty())
        ids_[static_cast<std::size_t>(mark.fidelity)].add(index_of(mark.first), index_of(mark.first) + mark.count);
}

void Quarantine::settle(search::ResultStore const& store) {
    for (std::size_t i = 0; i < ids_.size(); ++i) {
        if (!ids_[i].empty()) ids_[i].subtract(evaluated_ids(store, static_cast<models::Fidelity>(i)));
    }
    for (auto const& task : listed_) {
        if (!store.contains(task)) ids_[static_cast<std::size_t>(task.fidelity)].add(task.point);
    }
    listed_.clear();
}

bool Quarantine::empty() const {
    return std::all_of(ids_.begin(), ids_.end(), [](space::IdSet const& ids) { return ids.empty(); });
}

std::uint64_t Quarantine::size() const {
    return std::accumulate(ids_.begin(), ids_.end(), std::uint64_t{0},
                           [](std::uint64_t sum, space::IdSet const& ids) { return sum + ids.size(); });
}

}  // namespace pimdse::dse::run
