#include "dse/run/isolation.hpp"

#include "dse/base/digest.hpp"
#include "dse/base/durable_file.hpp"
#include "dse/run/child_process.hpp"
#include "dse/run/evaluation.hpp"
#include "dse/run/stop_signal_list.hpp"
#include "dse/space/input_hashes.hpp"
#include "dse/space/search_names.hpp"
#include "dse/space/space.hpp"
#include "dse/space/space_reader.hpp"
#include "sim/base/json.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string_view>
#include <system_error>

namespace pimdse::dse::run {
namespace {

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
    return base::sha256(text);
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

}  // namespace

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
        throw base::MismatchError(
            fmt::format("{}: a file that it names has changed since the run began: points that an earlier run did not "
                        "finish are evaluated with what the run has read",
                        name));
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

}  // namespace pimdse::dse::run
