#include "apart.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <ctime>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <type_traits>

namespace pimdse::fidelity {

namespace {

/// Of one thread, or of all that a result keeps busy.
double cpu(clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// What the clock itself takes between two readings, in the median: as much as a third of the cheapest results.
double clock_cpu() {
    std::array<double, 1001> readings{};
    for (auto& reading : readings) {
        double const start = cpu(CLOCK_THREAD_CPUTIME_ID);
        reading = cpu(CLOCK_THREAD_CPUTIME_ID) - start;
    }
    std::ranges::nth_element(readings, readings.begin() + readings.size() / 2);
    return readings[readings.size() / 2];
}

struct Head {
    std::size_t kind = 0;  ///< which of an Outcome's
    models::DefectKind defect = models::DefectKind::exception;
    double cpu = 0.0;
    std::size_t metrics = 0;
};
static_assert(std::is_trivially_copyable_v<Head> && std::is_trivially_copyable_v<models::Estimate>);

void tell(int pipe, Measured const& measured) {
    auto const* metrics = std::get_if<models::Metrics>(&measured.outcome);
    auto const* defect = std::get_if<models::Defect>(&measured.outcome);
    Head const head{measured.outcome.index(), defect == nullptr ? models::DefectKind::exception : defect->kind,
                    measured.cpu, metrics == nullptr ? 0 : metrics->size()};
    bool const told = ::write(pipe, &head, sizeof head) == static_cast<ssize_t>(sizeof head);
    if (told && metrics != nullptr && !metrics->empty())
        static_cast<void>(::write(pipe, metrics->data(), metrics->size() * sizeof(models::Estimate)));
}

bool read_all(int pipe, std::span<std::byte> into) {
    while (!into.empty()) {
        auto const got = ::read(pipe, into.data(), into.size());
        if (got <= 0) return false;
        into = into.subspan(static_cast<std::size_t>(got));
    }
    return true;
}

std::optional<Measured> heard(int pipe) {
    Head head;
    if (!read_all(pipe, std::as_writable_bytes(std::span(&head, 1)))) return std::nullopt;
    if (head.kind == 2 && head.defect == models::DefectKind::timeout) return std::nullopt;  // refused as too long
    Measured measured{models::Infeasible{}, head.cpu};
    if (head.kind == 0) {
        models::Metrics metrics(head.metrics);
        if (!read_all(pipe, std::as_writable_bytes(std::span(metrics)))) return std::nullopt;
        measured.outcome = std::move(metrics);
    } else if (head.kind == 2) {
        measured.outcome = models::Defect{};
    }
    return measured;
}

/// Of all threads together. Under a limit the clock of a process goes in steps of milliseconds, that of this thread
/// does not.
Measured measured_whole(auto&& evaluate) {
    double const whole = cpu(CLOCK_PROCESS_CPUTIME_ID), own = cpu(CLOCK_THREAD_CPUTIME_ID);
    auto outcome = evaluate();
    double const of_thread = cpu(CLOCK_THREAD_CPUTIME_ID) - own, of_all = cpu(CLOCK_PROCESS_CPUTIME_ID) - whole;
    return {std::move(outcome), std::max(of_thread, of_all)};
}

[[noreturn]] void work_apart(int pipe, double seconds, auto&& evaluate) {
    rlimit const limit{static_cast<rlim_t>(std::ceil(seconds)), static_cast<rlim_t>(std::ceil(seconds)) + 1};
    ::setrlimit(RLIMIT_CPU, &limit);
    tell(pipe, evaluate());
    ::_exit(0);
}

}  // namespace

Measured evaluate_here(models::Architecture const& architecture, models::Inputs const& inputs, models::Point point,
                       models::Fidelity fidelity) {
    static double const of_the_clock = clock_cpu();
    double const start = cpu(CLOCK_THREAD_CPUTIME_ID);
    auto outcome = models::evaluate_safely(architecture, inputs, point, fidelity);
    return {std::move(outcome), std::max(0.0, cpu(CLOCK_THREAD_CPUTIME_ID) - start - of_the_clock)};
}

std::optional<Measured> evaluate_apart(models::Architecture const& architecture, models::Inputs const& inputs,
                                       models::Point point, models::Fidelity fidelity, double seconds) {
    int ends[2];
    if (::pipe(ends) != 0) return std::nullopt;
    auto const child = ::fork();
    if (child == 0) {
        ::close(ends[0]);
        work_apart(ends[1], seconds, [&] {
            return measured_whole([&] { return models::evaluate_safely(architecture, inputs, point, fidelity); });
        });
    }
    ::close(ends[1]);
    auto measured = child > 0 ? heard(ends[0]) : std::nullopt;
    ::close(ends[0]);
    if (child > 0) ::waitpid(child, nullptr, 0);
    return measured;
}

}  // namespace pimdse::fidelity
