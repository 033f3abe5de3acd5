#include "dse/store/result/foreign_file.hpp"

#include "dse/store/storage_error.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <fstream>
#include <new>
#include <string>
#include <string_view>

namespace pimdse::dse::store::result {
namespace {

/// The first letter of what the copy says: it read the file, or why it did not.
enum Letter : char { readable = 'R', bad_input = 'I', damaged = 'D', out_of_memory = 'M' };

/// Deflate makes at most 1,032 bytes of one; every value is held in several forms.
constexpr std::uint64_t memory_per_byte = 5000, memory_at_least = std::uint64_t{2} << 30;
constexpr std::uint64_t seconds_at_least = 5, bytes_per_second = 1'000'000;

void limit(int what, std::uint64_t value) {
    rlimit now{};
    ::getrlimit(static_cast<__rlimit_resource_t>(what), &now);
    now.rlim_cur = std::min<rlim_t>(value, now.rlim_max);
    ::setrlimit(static_cast<__rlimit_resource_t>(what), &now);
}

/// Address space of this process, in bytes.
std::uint64_t reserved_bytes() {
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void confine(std::uint64_t bytes) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    // What asks the reader itself to stop does here what it does there: it may be ignored (nohup).
    for (int const signal : {SIGALRM, SIGXCPU, SIGSEGV, SIGBUS, SIGFPE, SIGABRT}) ::signal(signal, SIG_DFL);
    // What a dying library prints says nothing to the user.
    if (int const nowhere = ::open("/dev/null", O_WRONLY); nowhere >= 0) {
        ::dup2(nowhere, STDOUT_FILENO);
        ::dup2(nowhere, STDERR_FILENO);
    }
    std::uint64_t const seconds = seconds_at_least + bytes / bytes_per_second;
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, seconds);
    limit(RLIMIT_AS, reserved_bytes() + memory_at_least + bytes * memory_per_byte);
    ::alarm(static_cast<unsigned>(60 + 10 * seconds));  // if it waits rather than computes; a slow file system may
}

std::string verdict_on(std::function<void()> const& read) {
    try {
        read();
        return {readable};
    } catch (sim::InputError const& error) {
        return std::string(1, bad_input) + error.what();
    } catch (std::bad_alloc const&) {
        return {out_of_memory};
    } catch (std::exception const& error) {
        return std::string(1, damaged) + error.what();
    }
}

[[noreturn]] void judge(int into, std::uint64_t bytes, std::function<void()> const& read) {
    confine(bytes);
    constexpr std::size_t most = 4096;  // a pipe takes that at once
    auto const verdict = verdict_on(read).substr(0, most);
    ssize_t const written = ::write(into, verdict.data(), verdict.size());
    ::_exit(written == static_cast<ssize_t>(verdict.size()) ? 0 : 1);
}

std::string heard_from(int pipe) {
    std::string heard;
    std::array<char, 4096> part{};
    while (true) {
        ssize_t const got = ::read(pipe, part.data(), part.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return heard;
        heard.append(part.data(), static_cast<std::size_t>(got));
    }
}

std::string death_text(int status) {
    if (!WIFSIGNALED(status)) return fmt::format("exit code {}", WEXITSTATUS(status));
    if (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGALRM) return "it took too long";
    return fmt::format("signal {}, {}", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
}

[[noreturn]] void refuse(std::filesystem::path const& file, std::string_view verdict, int status) {
    if (verdict.starts_with(bad_input)) throw sim::InputError(std::string(verdict.substr(1)));
    if (verdict.starts_with(damaged)) throw StorageError(file, std::string(verdict.substr(1)));
    if (verdict.starts_with(out_of_memory)) {
        throw StorageError(file,
                           fmt::format("{} is damaged (reading it takes more memory than a file of its size can need)",
                                       file.string()));
    }
    throw StorageError(file, fmt::format("{} is damaged (reading it ended the process that tried: {})", file.string(),
                                         death_text(status)));
}

}  // namespace

void try_apart(std::filesystem::path const& file, std::uint64_t bytes, std::function<void()> const& read) {
    std::array<int, 2> pipe{-1, -1};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) throw StorageError::from_errno(file, "read", errno);
    pid_t const copy = ::fork();
    if (copy == 0) judge(pipe[1], bytes, read);
    int const error = errno;
    ::close(pipe[1]);
    auto const verdict = copy < 0 ? std::string() : heard_from(pipe[0]);
    ::close(pipe[0]);
    if (copy < 0) throw StorageError::from_errno(file, "start a process to read", error);
    int status = 0;
    while (::waitpid(copy, &status, 0) < 0 && errno == EINTR) {
    }
    if (!verdict.starts_with(readable)) refuse(file, verdict, status);
}

}  // namespace pimdse::dse::store::result
