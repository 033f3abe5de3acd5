#include "dse/run/worker_process.hpp"

#include "dse/base/digest.hpp"
#include "dse/run/child_process.hpp"
#include "dse/run/evaluation.hpp"
#include "dse/run/messages.hpp"
#include "dse/run/stop_signal_list.hpp"
#include "dse/space/input_hashes.hpp"
#include "dse/space/search_names.hpp"
#include "dse/space/space.hpp"
#include "dse/space/space_reader.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <system_error>
#include <thread>

namespace pimdse::dse::run {
namespace {

constexpr double seconds_to_start =
    120.0;  // to read a space and prepare its architecture normally takes well under a second

Line::Clock::time_point deadline_in(double seconds) {
    return Line::Clock::now() +
           std::chrono::duration_cast<Line::Clock::duration>(std::chrono::duration<double>(std::min(seconds, 1e9)));
}

space::Bytes setup_message(space::Space const& space, WorkerProcess::Settings const& settings, ReplyMode reply_mode,
                           std::vector<int> lines) {
    std::vector<std::string> objectives;
    for (auto const& objective : space.objectives()) objectives.push_back(space.metrics()[objective.metric].name);
    return write_setup(
        {reply_mode, std::move(lines), space.text(), settings.space_name, settings.overrides, std::move(objectives)});
}

/// The digest of the inputs of a space as it was read.
space::Bytes digest_of_inputs(space::Space const& space) {
    std::string text;
    for (auto const& [name, sum] : space::input_hashes(space)) text += fmt::format("{} {}\n", sum, name);
    auto const digest = base::sha256(text);
    auto const bytes = std::as_bytes(std::span(digest));
    return {bytes.begin(), bytes.end()};
}

bool killed_from_outside(int status) {
    if (!WIFSIGNALED(status)) return false;
    int const number = WTERMSIG(status);
    return number == SIGKILL || std::find(stop_signals.begin(), stop_signals.end(), number) != stop_signals.end();
}

/// Throws if the host is to blame for the end of a process.
void throw_if_refused(int status) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == exit_code_of_refusal)
        throw std::system_error(std::make_error_code(std::errc::not_enough_memory), "a worker process ended");
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

}  // namespace

/// A process that evaluates chunks from one or more lines. Each line may be used by one thread at a time.
class WorkerProcess::Child {
  public:
    /// `inputs`: what the process must read, too; files may have changed since this process read them.
    Child(space::Space const& space, space::Bytes const& inputs, WorkerProcess::Settings const& settings,
          ReplyMode reply_mode, std::size_t lines)
        : process_(settings.command, lines), seconds_per_point_(settings.seconds_per_point) {
        auto const& descriptors = process_.child_descriptors();
        process_.line(0).send(setup_message(space, settings, reply_mode, {descriptors.begin() + 1, descriptors.end()}));
        space::Bytes ready;
        auto const received = process_.line(0).receive(ready, deadline_in(seconds_to_start));
        started_ = received == Line::Received::frame && ready == inputs;
        if (received == Line::Received::closed) throw_if_refused(process_.end(0));
    }

    [[nodiscard]] bool started() const { return started_; }

    enum class Ending { complete, timeout, died };
    /// Sends the batch to the process and appends its results to `results`.
    Ending evaluate(std::size_t line_number, space::Batch const& batch, std::vector<space::Result>& results) {
        Line& line = process_.line(line_number + 1);
        std::size_t const expected = results.size() + batch.size();
        line.send(write_chunk({0, batch}));
        for (space::Bytes frame; results.size() < expected; space::decode(frame, results)) {
            auto const received = line.receive(frame, deadline_in(seconds_per_point_));
            if (received != Line::Received::frame)
                return received == Line::Received::timeout ? Ending::timeout : Ending::died;
        }
        return Ending::complete;
    }

    int end(int signal) { return process_.end(signal); }

  private:
    ChildProcess process_;
    double seconds_per_point_;
    bool started_ = false;
};

/// The process that all threads share. Every thread that uses it holds a reference and so keeps it alive.
struct WorkerProcess::Shared {
    Shared(space::Space const& space, space::Bytes const& inputs, WorkerProcess::Settings const& settings, int threads)
        : child(space, inputs, settings, ReplyMode::batched, static_cast<std::size_t>(threads)) {
        for (int i = 0; i < threads; ++i) free_lines.push_back(static_cast<std::size_t>(i));
    }
    Child child;
    std::vector<std::size_t> free_lines;
};

/// A line of the shared process, reserved for one thread.
struct WorkerProcess::Lease {
    std::shared_ptr<Shared> shared;
    std::size_t line = 0;
};

WorkerProcess::WorkerProcess(space::Space const& space, Settings settings, int threads)
    : space_(space), settings_(std::move(settings)), threads_(threads) {
    if (!settings_.command.empty()) inputs_ = digest_of_inputs(space);
}
WorkerProcess::~WorkerProcess() = default;

void WorkerProcess::release_process() {
    std::scoped_lock const lock(guard_);
    shared_.reset();
}

std::vector<space::Result> WorkerProcess::evaluate(space::Batch const& batch) {
    std::vector<space::Result> results;
    results.reserve(batch.size());
    if (!settings_.command.empty()) {
        evaluate_together(batch, results);
        if (results.size() < batch.size()) evaluate_alone(batch, results);
    }
    while (results.size() < batch.size()) results.push_back(run::evaluate(space_, batch.task(results.size())));
    return results;
}

WorkerProcess::Lease WorkerProcess::take_line() {
    std::scoped_lock const lock(guard_);
    if (!shared_) shared_ = std::make_shared<Shared>(space_, inputs_, settings_, threads_);
    sim::expects(!shared_->free_lines.empty(), "no more callers at a time than threads");
    Lease const lease{shared_, shared_->free_lines.back()};
    shared_->free_lines.pop_back();
    return lease;
}

void WorkerProcess::evaluate_together(space::Batch const& batch, std::vector<space::Result>& results) {
    auto const [shared, line] = take_line();
    auto const ending = shared->child.started() ? shared->child.evaluate(line, batch, results) : Child::Ending::died;
    std::scoped_lock const lock(guard_);
    if (ending == Child::Ending::complete) return shared->free_lines.push_back(line);
    // Other threads notice that the process has ended and do the same; the first that needs a process starts a new one.
    shared->child.end(SIGKILL);
    if (shared_ == shared) shared_.reset();
    if (ending == Child::Ending::timeout)
        results.push_back(timeout_result(batch.task(results.size()), settings_.seconds_per_point));
}

void WorkerProcess::evaluate_alone(space::Batch const& batch, std::vector<space::Result>& results) const {
    std::optional<std::size_t> retried;
    while (results.size() < batch.size()) {
        Child child(space_, inputs_, settings_, ReplyMode::immediate, 1);
        if (!child.started()) return;
        auto const ending = child.evaluate(0, batch.part(results.size(), batch.size() - results.size()), results);
        if (ending == Child::Ending::timeout) {
            results.push_back(timeout_result(batch.task(results.size()), settings_.seconds_per_point));
        } else if (ending == Child::Ending::died) {
            int const status = child.end(0);
            throw_if_refused(status);
            bool const retry = killed_from_outside(status) && retried != results.size();
            retried = results.size();
            if (!retry) results.push_back({batch.task(results.size()), crash(status), 0.0, 0});
        }
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

double seconds_in(std::vector<space::Result> const& results) {
    return std::accumulate(results.begin(), results.end(), 0.0,
                           [](double sum, space::Result const& result) { return sum + result.seconds; });
}

namespace {

space::Space space_of(WorkerSetup const& setup) {
    space::Space space = space::parse_space(setup.space_text, setup.space_name, setup.overrides);
    space.set_objectives(space::parse_objectives(space.plain_metrics(), setup.objectives));
    return space;
}

/// Evaluates the chunks that arrive on one line, on the calling thread.
class LineServer {
  public:
    LineServer(space::Space const& space, ReplyMode reply_mode, int descriptor)
        : space_(space), reply_mode_(reply_mode), input_(descriptor), output_(::dup(descriptor)) {}

    void evaluate_all() {
        for (space::Bytes requested; input_.receive(requested) == Line::Received::frame;) {
            auto const batch = read_chunk(requested).tasks;
            for (std::uint64_t i = 0; i < batch.size(); ++i)
                add(evaluate(space_, batch.task(i)), i + 1 == batch.size());
        }
    }

    /// Sends the results that are not sent yet. Thread-safe.
    void flush() {
        std::scoped_lock const lock(guard_);
        if (!unsent_.empty()) (void)output_.send(unsent_);  // if the line is closed, no more chunks will arrive
        unsent_.clear();
    }

  private:
    void add(space::Result const& result, bool is_last) {
        constexpr std::size_t max_unsent_bytes = 32'768;
        bool now = is_last || reply_mode_ == ReplyMode::immediate;
        {
            std::scoped_lock const lock(guard_);
            encode(result, unsent_);
            now = now || unsent_.size() > max_unsent_bytes;
        }
        if (now) flush();
    }

    space::Space const& space_;
    ReplyMode reply_mode_;
    Line input_, output_;  // two descriptors of one socket, each used by one thread at a time
    std::mutex guard_;
    space::Bytes unsent_;
};

/// Flushes all lines every 20 ms, so that no result waits behind a point that takes long: the first missing result is
/// that of the long point.
void flush_periodically(std::deque<LineServer>& servers, std::stop_token const& over) {
    std::mutex mutex;
    std::condition_variable_any sleep;
    std::unique_lock lock(mutex);
    while (!sleep.wait_for(lock, over, std::chrono::milliseconds(20), [&] { return over.stop_requested(); })) {
        for (auto& server : servers) server.flush();
    }
}

}  // namespace

void serve_chunks(int descriptor) {
    Line parent(descriptor);
    space::Bytes message;
    if (parent.receive(message) != Line::Received::frame)
        throw space::CodecError("the parent process closed its connection before it sent a setup message");
    auto const setup = read_setup(message);
    space::Space const space = space_of(setup);
    std::deque<LineServer> servers;
    for (int const line : setup.lines) servers.emplace_back(space, setup.reply_mode, line);
    (void)parent.send(digest_of_inputs(space));  // ready
    std::jthread const flusher([&](std::stop_token const& over) { flush_periodically(servers, over); });
    std::vector<std::jthread> threads;
    // noexcept: if there is no thread for a line, those of the others would be waited for, and the parent for this one.
    [&]() noexcept {
        for (auto& server : servers) threads.emplace_back([&server] { server.evaluate_all(); });
    }();
}

}  // namespace pimdse::dse::run
