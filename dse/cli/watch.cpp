#include "dse/cli/flag_values.hpp"
#include "dse/cli/json_text.hpp"
#include "dse/cli/named_files.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/progress.hpp"
#include "dse/cli/verb.hpp"
#include "dse/durable_file.hpp"
#include "dse/front.hpp"
#include "dse/journal.hpp"
#include "dse/result_file.hpp"

#include <chrono>
#include <cmath>
#include <deque>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>
#include <unistd.h>

namespace pimdse::dse::cli {
namespace {

using Clock = std::chrono::steady_clock;

Manual const manual{
    "pimdse watch FILE.h5 [--once]",
    "Follows a running exploration by its journal, without disturbing it: how far, how fast, failures, front and hypervolume.\n"
    "Ends with the run; exits with 75 when the run has died and can be resumed.",
    "  pimdse watch mapping.h5 --once --format json\nprints where the run stands now, for a script.",
    {"file"}};

/// What the head of the journal says of the run.
struct Watched {
    JournalHeader header;
    std::uint64_t planned = 0;
    std::string start;
    std::vector<Objective> objectives;
};

Watched read_head(std::filesystem::path const& journal) {
    Watched watched{Journal::read_header(journal), 0, "", {}};
    auto const run = nlohmann::json::parse(watched.header.run);
    watched.planned = run.value("planned", std::uint64_t{0});
    watched.start = run.value("start", "");
    for (auto const& objective : run.value("objectives", nlohmann::json::array())) {
        auto const found = std::find(watched.header.metrics.begin(), watched.header.metrics.end(), objective.at(0).get<std::string>());
        auto const better = objective.at(1) == "maximize" ? models::Sense::maximize : models::Sense::minimize;
        watched.objectives.push_back({static_cast<std::size_t>(found - watched.header.metrics.begin()), better});
    }
    return watched;
}

/// One look at a run.
struct View {
    std::uint64_t answered = 0, planned = 0, feasible = 0;
    std::map<std::string, std::uint64_t> rules;   ///< points per broken rule and class of failure
    std::size_t front = 0;
    double hypervolume = 0.0;   ///< share of the box around all feasible answers so far
    double rate = 0.0;          ///< points per second over the last half minute
    std::string state;          ///< "running", "died" or "finished"

    [[nodiscard]] double seconds_left() const { return rate > 0.0 ? static_cast<double>(planned - std::min(planned, answered)) / rate : std::nan(""); }
};

/// Follows a journal from look to look.
class Watcher {
  public:
    explicit Watcher(std::filesystem::path output) : output_(std::move(output)), watched_(read_head(journal_path(output_))), store_(watched_.header.metrics.size()) {
        if (std::filesystem::exists(output_)) store_ = load_result_file(output_).store;   // what the run began with, or a checkpoint
    }

    View look() {
        JournalSink sink;
        sink.answer = [this](Answer&& answer) { store_.insert(answer); };
        sink.block = [this](BlockSummary&& block) { store_.insert(block); };
        Journal::read(journal_path(output_), sink, &cursor_);
        View view;
        view.planned = watched_.planned;
        view.answered = store_.evaluated();
        view.feasible = store_.count(Status::ok);
        view.rules = store_.counts_per_rule();
        view.rate = rate_with(view.answered);
        add_front(view);
        return view;
    }

  private:
    double rate_with(std::uint64_t answered) {
        constexpr double window_seconds = 30.0;
        seen_.emplace_back(Clock::now(), answered);
        auto const age = [&](auto const& entry) { return std::chrono::duration<double>(seen_.back().first - entry.first).count(); };
        while (seen_.size() > 2 && age(seen_.front()) > window_seconds) seen_.pop_front();
        double const seconds = age(seen_.front());
        return seconds > 0.0 ? static_cast<double>(answered - seen_.front().second) / seconds : 0.0;
    }

    void add_front(View& view) const {
        if (watched_.objectives.empty() || view.feasible == 0) return;
        auto const fidelity = finest_fidelity(store_);
        auto const front = front_of(store_, watched_.objectives, fidelity);
        std::vector<double> values;
        for (auto const& member : front.members()) values.insert(values.end(), member.values.begin(), member.values.end());
        view.front = front.size();
        constexpr std::size_t quick_enough = 2000;   // an exact hypervolume of more members would delay the next look
        view.hypervolume = front.size() <= quick_enough ? dominated_share(values, box_of(store_, watched_.objectives, fidelity)) : std::nan("");
    }

    std::filesystem::path output_;
    Watched watched_;
    ResultStore store_;
    Journal::Cursor cursor_;
    std::deque<std::pair<Clock::time_point, std::uint64_t>> seen_;
};

/// True if some process holds the journal.
bool somebody_writes(std::filesystem::path const& journal) {
    try {
        DurableFile const file(journal, DurableFile::Mode::read);
        file.lock(std::chrono::milliseconds(0));
        return false;   // the lock was free and goes with the object
    } catch (StorageError const&) {
        return true;
    }
}

std::string text_of(View const& v) {
    std::string text = fmt::format("{}: {}/{} points ({:.1f} %)", v.state, v.answered, v.planned, v.planned > 0 ? 100.0 * static_cast<double>(v.answered) / static_cast<double>(v.planned) : 100.0);
    if (v.rate > 0.0) text += fmt::format(", {:.{}f}/s, {} left", v.rate, v.rate < 10.0 ? 1 : 0, print_duration(v.seconds_left()));
    text += fmt::format("; {} feasible, {} on the front", v.feasible, v.front);
    if (v.front > 0 && !std::isnan(v.hypervolume)) text += fmt::format(", hypervolume {:.4f}", v.hypervolume);
    for (auto const& [rule, points] : v.rules) text += fmt::format("\n  {:<32} {}", rule, points);
    return text + "\n";
}

std::string json_of(View const& v) {
    auto const number = [](double x) { return std::isnan(x) ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(x); };
    nlohmann::ordered_json const text{{"state", v.state}, {"answered", v.answered}, {"planned", v.planned}, {"points_per_second", v.rate},
                                      {"seconds_left", number(v.seconds_left())}, {"feasible", v.feasible}, {"rules", v.rules},
                                      {"front", v.front}, {"hypervolume", number(v.hypervolume)}};
    return json_text(text) + "\n";
}

/// Draws a view over the last one on a terminal, below it elsewhere.
class Screen {
  public:
    void show(std::string const& text) {
        if (lines_ > 0 && ::isatty(STDOUT_FILENO) != 0) std::cout << fmt::format("\033[{}A\033[J", lines_);
        std::cout << text << std::flush;
        lines_ = std::count(text.begin(), text.end(), '\n');
    }

  private:
    std::ptrdiff_t lines_ = 0;
};

/// A run that is over: what its file holds.
View view_of(ResultFile const& file) {
    View view;
    view.state = "finished";
    view.answered = view.planned = file.store.evaluated();
    view.feasible = file.store.count(Status::ok);
    view.rules = file.store.counts_per_rule();
    view.front = file.front.size();
    view.hypervolume = std::nan("");
    return view;
}

int show_finished(std::filesystem::path const& output, Format format, Screen& screen) {
    auto const view = view_of(load_result_file(output));
    screen.show(format == Format::json ? json_of(view) : text_of(view));
    return complete;
}

}  // namespace

int run_watch(std::vector<std::string> const& arguments) {
    po::options_description flags("Flags");
    auto add = flags.add_options();
    add("once", "look once and end");
    add("interval", po::value<std::string>()->default_value("1"), "seconds between looks");
    add_format(flags);
    auto const values = parse(manual, flags, arguments);
    if (!values) return complete;
    Format const format = format_of(*values);
    double const interval = std::max(number_of<double>(*values, "interval", {0.0, 86'400.0}), 0.05);
    std::filesystem::path const output = needed(*values, "file", manual);
    auto const journal = journal_path(output);
    Screen screen;
    std::error_code error;   // of a name that no file can have
    if (!std::filesystem::exists(journal, error)) {
        if (!std::filesystem::exists(output, error)) throw MissingInput(fmt::format("{}: neither a result file nor the journal of a run is there", shown_name(output.string())));
        return show_finished(input_file(output.string()), format, screen);
    }
    Watcher watcher(output);
    (void)watcher.look();   // a rate needs two looks
    while (true) {
        std::this_thread::sleep_for(std::chrono::duration<double>(interval));
        bool const writing = somebody_writes(journal);
        if (!std::filesystem::exists(journal)) return show_finished(output, format, screen);
        View view = watcher.look();
        view.state = writing ? "running" : "died";
        screen.show(format == Format::json ? json_of(view) : text_of(view));
        if (!writing) {
            std::cerr << "pimdse: no run is writing this journal; explore with --resume goes on\n";
            return resumable;
        }
        if (values->contains("once")) return complete;
    }
}

}  // namespace pimdse::dse::cli
