#include "dse/run/worker_process.hpp"

#include "dse/run/child_process.hpp"
#include "dse/run/evaluation.hpp"
#include "dse/run/messages.hpp"
#include "dse/run/stop_signal_list.hpp"
#include "dse/space/search_names.hpp"
#include "dse/space/space.hpp"
#include "dse/space/space_reader.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>

namespace pimdse::dse::run {
namespace {

constexpr double seconds_to_start =
    120.0;  ///< reading a space and preparing its architecture takes well under a second

Line::Clock::time_point within(double seconds) {
    return Line::Clock::now() +
           std::chrono::duration_cast<Line::Clock::duration>(std::chrono::duration<double>(std::min(seconds, 1e9)));
}

space::Bytes question(space::Space const& space, WorkerProcess::Settings const& settings, Telling telling,
                      std::vector<int> lines) {
    std::vector<std::string> objectives;
    for (auto const& objective : space.objectives()) objectives.push_back(space.metrics()[objective.metric].name);
    return write_question(
        {telling, std::move(lines), space.text(), settings.space_name, settings.overrides, std::move(objectives)});
}

bool killed_from_outside(int status) {
    if (!WIFSIGNALED(status)) return false;
    int const number = WTERMSIG(status);
    return number == SIGKILL || std::find(stop_signals.begin(), stop_signals.end(), number) != stop_signals.end();
}

models::Defect crash(int status) {
    std::string const how = WIFSIGNALED(status)
                                ? fmt::format("signal {}, {}", WTERMSIG(status), ::strsignal(WTERMSIG(status)))
                                : fmt::format("exit code {}", WEXITSTATUS(status));
    return {fmt::format("took its process with it twice (the second time alone: {})", how), models::DefectKind::crash};
}

space::Result too_late(space::Task task, double seconds) {
    return {task, models::Defect{fmt::format("took longer than {} s", seconds), models::DefectKind::timeout}, seconds,
            0};
}

}  // namespace

/// A process that answers on one or more lines; each line for one thread at a time.
class WorkerProcess::Child {
  public:
    Child(space::Space const& space, WorkerProcess::Settings const& settings, Telling telling, std::size_t lines)
        : process_(settings.command, lines), seconds_per_point_(settings.seconds_per_point) {
        auto const& descriptors = process_.its_descriptors();
        process_.line(0).send(question(space, settings, telling, {descriptors.begin() + 1, descriptors.end()}));
        space::Bytes ready;
        began_ = process_.line(0).hear(ready, within(seconds_to_start)) == Line::Heard::frame;
    }

    [[nodiscard]] bool began() const { return began_; }

    enum class Ending { complete, late, died };
    /// Appends to `answers` what it says to the batch.
    Ending result(std::size_t line_number, space::Batch const& batch, std::vector<space::Result>& results) {
        Line& line = process_.line(line_number + 1);
        std::size_t const all = results.size() + batch.size();
        line.send(write_chunk({0, batch}));
        for (space::Bytes frame; results.size() < all; space::decode(frame, results)) {
            auto const heard = line.hear(frame, within(seconds_per_point_));
            if (heard != Line::Heard::frame) return heard == Line::Heard::late ? Ending::late : Ending::died;
        }
        return Ending::complete;
    }

    int end(int signal) { return process_.end(signal); }

  private:
    ChildProcess process_;
    double seconds_per_point_;
    bool began_ = false;
};

/// The process that all threads use; whoever talks with it keeps it alive.
struct WorkerProcess::Shared {
    Shared(space::Space const& space, WorkerProcess::Settings const& settings, int threads)
        : child(space, settings, Telling::together, static_cast<std::size_t>(threads)) {
        for (int i = 0; i < threads; ++i) free_lines.push_back(static_cast<std::size_t>(i));
    }
    Child child;
    std::vector<std::size_t> free_lines;
};

struct WorkerProcess::Place {
    std::shared_ptr<Shared> shared;
    std::size_t line = 0;
};

WorkerProcess::WorkerProcess(space::Space const& space, Settings settings, int threads)
    : space_(space), settings_(std::move(settings)), threads_(threads) {}
WorkerProcess::~WorkerProcess() = default;

void WorkerProcess::rest() {
    std::scoped_lock const lock(guard_);
    shared_.reset();
}

std::vector<space::Result> WorkerProcess::results(space::Batch const& batch) {
    std::vector<space::Result> results;
    results.reserve(batch.size());
    if (!settings_.command.empty()) {
        evaluate_together(batch, results);
        if (results.size() < batch.size()) evaluate_alone(batch, results);
    }
    while (results.size() < batch.size()) results.push_back(result(space_, batch.task(results.size())));
    return results;
}

WorkerProcess::Place WorkerProcess::take_place() {
    std::scoped_lock const lock(guard_);
    if (!shared_) shared_ = std::make_shared<Shared>(space_, settings_, threads_);
    sim::expects(!shared_->free_lines.empty(), "no more callers at a time than threads");
    Place const place{shared_, shared_->free_lines.back()};
    shared_->free_lines.pop_back();
    return place;
}

void WorkerProcess::evaluate_together(space::Batch const& batch, std::vector<space::Result>& results) {
    auto const [shared, line] = take_place();
    auto const ending = shared->child.began() ? shared->child.result(line, batch, results) : Child::Ending::died;
    std::scoped_lock const lock(guard_);
    if (ending == Child::Ending::complete) return shared->free_lines.push_back(line);
    // The others hear that it has gone and do the same; the first one who needs a process again starts it.
    shared->child.end(SIGKILL);
    if (shared_ == shared) shared_.reset();
    if (ending == Child::Ending::late)
        results.push_back(too_late(batch.task(results.size()), settings_.seconds_per_point));
}

void WorkerProcess::evaluate_alone(space::Batch const& batch, std::vector<space::Result>& results) const {
    std::optional<std::size_t> second_chance;
    while (results.size() < batch.size()) {
        Child child(space_, settings_, Telling::each_at_once, 1);
        if (!child.began()) return;
        auto const ending = child.result(0, batch.part(results.size(), batch.size() - results.size()), results);
        if (ending == Child::Ending::late) {
            results.push_back(too_late(batch.task(results.size()), settings_.seconds_per_point));
        } else if (ending == Child::Ending::died) {
            int const status = child.end(0);
            bool const again = killed_from_outside(status) && second_chance != results.size();
            second_chance = results.size();
            if (!again) results.push_back({batch.task(results.size()), crash(status), 0.0, 0});
        }
    }
}

double seconds_in(std::vector<space::Result> const& results) {
    return std::accumulate(results.begin(), results.end(), 0.0,
                           [](double sum, space::Result const& result) { return sum + result.seconds; });
}

namespace {

space::Space space_of(WorkerQuestion const& question) {
    space::Space space = space::parse_space(question.space_text, question.space_name, question.overrides);
    space.set_objectives(space::parse_objectives(space.plain_metrics(), question.objectives));
    return space;
}

/// Answers what comes by one line, on the thread that calls.
class Evaluating {
  public:
    Evaluating(space::Space const& space, Telling telling, int descriptor)
        : space_(space), telling_(telling), hears_(descriptor), says_(::dup(descriptor)) {}

    void evaluate_all() {
        for (space::Bytes requested; hears_.hear(requested) == Line::Heard::frame;) {
            auto const batch = read_chunk(requested).tasks;
            for (std::uint64_t i = 0; i < batch.size(); ++i) add(result(space_, batch.task(i)), i + 1 == batch.size());
        }
    }

    /// Tells what is not told yet. From any thread.
    void tell() {
        std::scoped_lock const lock(guard_);
        if (!untold_.empty()) (void)says_.send(untold_);  // nobody hears it: then there will be no more questions
        untold_.clear();
    }

  private:
    void add(space::Result const& result, bool is_last) {
        constexpr std::size_t much = 32'768;
        bool now = is_last || telling_ == Telling::each_at_once;
        {
            std::scoped_lock const lock(guard_);
            encode(result, untold_);
            now = now || untold_.size() > much;
        }
        if (now) tell();
    }

    space::Space const& space_;
    Telling telling_;
    Line hears_, says_;  // two ends of one socket, each for one thread at a time
    std::mutex guard_;
    space::Bytes untold_;
};

/// So that nothing waits behind a point that takes long: the first answer that is missing is that point's.
void tell_now_and_then(std::deque<Evaluating>& all, std::stop_token const& over) {
    std::mutex mutex;
    std::condition_variable_any sleep;
    std::unique_lock lock(mutex);
    while (!sleep.wait_for(lock, over, std::chrono::milliseconds(20), [&] { return over.stop_requested(); })) {
        for (auto& evaluating : all) evaluating.tell();
    }
}

}  // namespace

void evaluate_questions(int descriptor) {
    Line asks(descriptor);
    space::Bytes requested;
    if (asks.hear(requested) != Line::Heard::frame) throw space::CodecError("nobody asks");
    auto const question = read_question(requested);
    space::Space const space = space_of(question);
    std::deque<Evaluating> lines;
    for (int const line : question.lines) lines.emplace_back(space, question.telling, line);
    (void)asks.send({});
    std::jthread const teller([&](std::stop_token const& over) { tell_now_and_then(lines, over); });
    std::vector<std::jthread> threads;
    for (auto& line : lines) threads.emplace_back([&line] { line.evaluate_all(); });
}

}  // namespace pimdse::dse::run
