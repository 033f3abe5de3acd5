#include "dse/separate_process.hpp"

#include "dse/evaluation.hpp"
#include "dse/wire.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;   // NOLINT: POSIX has it declared by its users

namespace pimdse::dse {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double seconds_to_start = 120.0;   ///< reading a space and preparing its architecture takes well under a second

Bytes question(Space const& space, SeparateProcess const& how, Batch const& batch) {
    Bytes bytes;
    bytes.reserve(space.text().size() + sizeof(PointId) * batch.size() + 1024);
    wire::put(bytes, std::string_view(space.text()));
    wire::put(bytes, std::string_view(how.space_name));
    wire::put(bytes, static_cast<std::uint32_t>(how.overrides.size()));
    for (auto const& [name, value] : how.overrides) {
        wire::put(bytes, std::string_view(name));
        wire::put(bytes, std::string_view(value));
    }
    wire::put(bytes, static_cast<std::uint32_t>(space.objectives().size()));
    for (auto const& objective : space.objectives()) wire::put(bytes, std::string_view(space.metrics()[objective.metric].name));
    wire::put(bytes, static_cast<std::uint8_t>(batch.fidelity()));
    for (std::uint64_t i = 0; i < batch.size(); ++i) wire::put(bytes, index_of(batch.task(i).point));
    return bytes;
}

/// The environment without what would make the child believe that it is a rank.
std::vector<char*> own_environment() {
    constexpr std::array<std::string_view, 4> of_launchers{"OMPI_", "PMIX_", "PMI_", "PRTE_"};
    std::vector<char*> variables;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        std::string_view const text(*variable);
        bool const of_launcher = std::any_of(of_launchers.begin(), of_launchers.end(), [&](std::string_view start) { return text.starts_with(start); });
        if (!of_launcher) variables.push_back(*variable);
    }
    variables.push_back(nullptr);
    return variables;
}

/// A child process whose standard input and output are this object's socket; killed when the object goes.
class Child {
  public:
    explicit Child(std::vector<std::string> const& command) {
        std::array<int, 2> ends{-1, -1};
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return;
        socket_ = ends[0];
        spawn(command, ends[1]);
        ::close(ends[1]);
    }
    ~Child() {
        (void)end(SIGKILL);
        if (socket_ >= 0) ::close(socket_);
    }
    Child(Child const&) = delete;
    Child& operator=(Child const&) = delete;

    /// Sends everything and closes this direction.
    void ask(Bytes const& bytes) const {
        for (std::size_t sent = 0; sent < bytes.size();) {
            ssize_t const n = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) break;   // it died; what it left unanswered tells
            sent += static_cast<std::size_t>(n);
        }
        ::shutdown(socket_, SHUT_WR);
    }

    enum class Heard { whole, late, gone };
    /// Reads exactly this many bytes before the deadline.
    [[nodiscard]] Heard hear(std::span<std::byte> into, Clock::time_point deadline) const {
        while (!into.empty()) {
            auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
            if (left <= 0) return Heard::late;
            pollfd ready{socket_, POLLIN, 0};
            if (::poll(&ready, 1, static_cast<int>(std::min<long long>(left + 1, 60'000))) <= 0) continue;
            ssize_t const n = ::read(socket_, into.data(), into.size());
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) return Heard::gone;
            into = into.subspan(static_cast<std::size_t>(n));
        }
        return Heard::whole;
    }

    /// Ends it (signal 0: waits for its own end) and returns its wait status.
    int end(int signal) {
        if (process_ <= 0) return status_;
        if (signal != 0) ::kill(process_, signal);
        while (::waitpid(process_, &status_, 0) < 0 && errno == EINTR) {}
        process_ = -1;
        return status_;
    }

  private:
    void spawn(std::vector<std::string> const& command, int its_end) {
        std::vector<char*> words;
        for (auto const& word : command) words.push_back(const_cast<char*>(word.c_str()));   // NOLINT: posix_spawn does not write
        words.push_back(nullptr);
        posix_spawn_file_actions_t files;
        posix_spawn_file_actions_init(&files);
        posix_spawn_file_actions_adddup2(&files, its_end, STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&files, its_end, STDOUT_FILENO);
        posix_spawnattr_t attributes;
        posix_spawnattr_init(&attributes);
        // A group of its own: what a terminal sends to this process is not meant for the child.
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
        sigset_t usual;
        sigemptyset(&usual);
        for (int const signal : {SIGINT, SIGTERM, SIGUSR1}) sigaddset(&usual, signal);
        posix_spawnattr_setsigdefault(&attributes, &usual);
        if (::posix_spawn(&process_, words[0], &files, &attributes, words.data(), own_environment().data()) != 0) process_ = -1;
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&files);
    }

    pid_t process_ = -1;
    int socket_ = -1;
    int status_ = 0;
};

enum class Ending { complete, never_began, late, died };

/// Lets the child answer; appends to `answers` what comes.
Ending converse(Child const& child, Bytes const& asked, std::uint64_t tasks, double seconds_per_point, std::vector<Answer>& answers) {
    child.ask(asked);
    auto const within = [](double seconds) { return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)); };
    std::byte ready{};
    if (child.hear({&ready, 1}, within(seconds_to_start)) != Child::Heard::whole) return Ending::never_began;
    for (std::uint64_t i = 0; i < tasks; ++i) {
        auto const deadline = within(seconds_per_point);
        std::array<std::byte, sizeof(std::uint32_t)> length{};
        auto heard = child.hear(length, deadline);
        Bytes bytes(heard == Child::Heard::whole ? wire::number_at<std::uint32_t>(length.data()) : 0);
        if (heard == Child::Heard::whole) heard = child.hear(bytes, within(seconds_to_start));
        if (heard != Child::Heard::whole) return heard == Child::Heard::late ? Ending::late : Ending::died;
        decode(bytes, answers);
    }
    return Ending::complete;
}

bool killed_from_outside(int status) { return WIFSIGNALED(status) && (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGTERM); }

models::Defect crash(int status) {
    std::string const how = WIFSIGNALED(status) ? fmt::format("signal {}, {}", WTERMSIG(status), ::strsignal(WTERMSIG(status)))
                                                : fmt::format("exit code {}", WEXITSTATUS(status));
    return {fmt::format("took its process with it twice (the second time alone: {})", how), models::DefectKind::crash};
}

models::Defect timeout(double seconds) { return {fmt::format("took longer than {} s", seconds), models::DefectKind::timeout}; }

}  // namespace

std::vector<Answer> answers_apart(Space const& space, SeparateProcess const& how, Batch const& batch) {
    std::vector<Answer> answers;
    if (how.command.empty()) {
        for (std::uint64_t i = 0; i < batch.size(); ++i) answers.push_back(answer(space, batch.task(i)));
        return answers;
    }
    std::optional<std::size_t> second_chance;
    while (answers.size() < batch.size()) {
        auto const rest = batch.part(answers.size(), batch.size() - answers.size());
        Child child(how.command);
        auto const ending = converse(child, question(space, how, rest), rest.size(), how.seconds_per_point, answers);
        if (ending == Ending::never_began) {
            for (std::uint64_t i = 0; i < rest.size(); ++i) answers.push_back(answer(space, rest.task(i)));
        } else if (ending == Ending::late) {
            answers.push_back({batch.task(answers.size()), timeout(how.seconds_per_point), how.seconds_per_point, 0});
        } else if (ending == Ending::died) {
            int const status = child.end(0);
            bool const again = killed_from_outside(status) && second_chance != answers.size();
            second_chance = answers.size();
            if (!again) answers.push_back({batch.task(answers.size()), crash(status), 0.0, 0});
        }
    }
    return answers;
}

namespace {

Bytes everything_from(int file) {
    Bytes bytes;
    std::array<std::byte, 65536> buffer{};
    for (ssize_t n = 0; (n = ::read(file, buffer.data(), buffer.size())) != 0;) {
        if (n > 0) bytes.insert(bytes.end(), buffer.begin(), buffer.begin() + n);
        else if (errno != EINTR) break;
    }
    return bytes;
}

void write_all(int file, std::span<std::byte const> bytes) {
    while (!bytes.empty()) {
        ssize_t const n = ::write(file, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) throw CodecError("nobody reads the answers");
        bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
}

template <class T>
T need(std::optional<T> value) {
    if (!value) throw CodecError("the question is cut off");
    return *std::move(value);
}

std::string take_string(wire::Reader& from) { return std::string(need(from.take_text())); }

Space space_in(wire::Reader& from) {
    std::string const text = take_string(from);
    std::string const name = take_string(from);
    std::vector<Override> overrides(need(from.take<std::uint32_t>()));
    for (auto& [parameter, value] : overrides) {
        parameter = take_string(from);
        value = take_string(from);
    }
    std::vector<std::string> objectives(need(from.take<std::uint32_t>()));
    for (auto& objective : objectives) objective = take_string(from);
    Space space = Space::parse(text, name, overrides);
    space.set_objectives(parse_objectives(space.metrics(), objectives));
    return space;
}

}  // namespace

void answer_questions(int from, int to) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);   // nobody would read what is answered after the parent's death
    Bytes const asked = everything_from(from);
    wire::Reader reader(asked);
    Space const space = space_in(reader);
    auto const fidelity = static_cast<models::Fidelity>(need(reader.take<std::uint8_t>()));
    std::byte const ready{1};
    write_all(to, {&ready, 1});
    while (!reader.empty()) {
        Bytes bytes, frame;
        encode(answer(space, {PointId{need(reader.take<std::uint64_t>())}, fidelity}), bytes);
        wire::put(frame, static_cast<std::uint32_t>(bytes.size()));
        frame.insert(frame.end(), bytes.begin(), bytes.end());
        write_all(to, frame);
    }
}

}  // namespace pimdse::dse
