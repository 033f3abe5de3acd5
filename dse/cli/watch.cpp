#include "dse/base/durable_file.hpp"
#include "dse/cli/progress.hpp"
#include "dse/cli/verb.hpp"
#include "dse/run/liveness.hpp"
#include "dse/search/certificate.hpp"
#include "dse/search/front.hpp"
#include "dse/search/point_counts.hpp"
#include "dse/space/input_hashes.hpp"
#include "dse/store/journal.hpp"
#include "dse/store/result_file.hpp"
#include "sim/base/file_error.hpp"
#include "sim/base/json.hpp"

#include <unistd.h>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <thread>

namespace pimdse::dse::cli {

/// The status of a run at one time.
struct WatchView {
    std::uint64_t evaluated = 0, planned = 0, feasible = 0;
    std::map<std::string, std::uint64_t> rules;  ///< points per broken rule and class of failure
    std::size_t front = 0;
    double hypervolume = 0.0;  ///< share of the box around all feasible results so far
    double rate = 0.0;         ///< recent points per second
    double seconds_left = 0.0;
    std::optional<search::Standing> standing;  ///< for a search that prunes points by bounds
    /// "running", "died", or "unknown" if the file system does not tell; for a run that has ended, the state in its
    /// file: "complete", "stopped", "shards missing"
    std::string state;
};

namespace {

/// The evaluated share of the points. A search that prunes points by bounds evaluates some twice and most never, so
/// only its evaluations are counted.
std::string share_of(WatchView const& v) {
    if (v.standing) return fmt::format("{}: {}", v.state, counted(v.evaluated, "evaluation"));
    double const share = v.planned > 0 ? static_cast<double>(v.evaluated) / static_cast<double>(v.planned) : 1.0;
    return fmt::format("{}: {}/{} ({:.1f} %)", v.state, v.evaluated, counted(v.planned, "point"), 100.0 * share);
}

using Clock = std::chrono::steady_clock;

/// The description of the run in the header of its journal.
struct Watched {
    store::journal::JournalHeader header;
    std::uint64_t planned = 0;
    std::string start, host;
    pid_t process = 0;  ///< on that host; 0 if unknown
    std::vector<space::Objective> objectives;
};

space::Objective objective_of(sim::Json const& pair, std::vector<std::string> const& metrics) {
    auto const name = pair.at(0).get<std::string>();
    auto const found = std::find(metrics.begin(), metrics.end(), name);
    if (found == metrics.end()) throw std::out_of_range(fmt::format("objective '{}' is not a metric", name));
    auto const better = pair.at(1) == "maximize" ? models::Sense::maximize : models::Sense::minimize;
    return {static_cast<std::size_t>(found - metrics.begin()), better};
}

void read_run(sim::Json const& run, Watched& into) {
    constexpr std::size_t max_objectives = 6;
    if (run.contains("planned"))
        into.planned = run.at("planned").is_number_unsigned() ? run.at("planned").get<std::uint64_t>() : 0;
    into.start = run.value("start", "");
    into.host = run.value("host", "");
    if (run.contains("pid") && run.at("pid").is_number_unsigned())
        into.process = static_cast<pid_t>(run.at("pid").get<std::uint32_t>());
    auto const objectives = run.value("objectives", sim::Json::array());
    if (!objectives.is_array() || objectives.size() > max_objectives)
        throw std::out_of_range("its objectives are not a list of at most six");
    for (auto const& objective : objectives) into.objectives.push_back(objective_of(objective, into.header.metrics));
}

/// Throws StorageError for a header that was not written by a run.
Watched read_head(std::filesystem::path const& journal) {
    Watched watched{store::journal::Journal::read_header(journal), 0, "", "", 0, {}};
    std::string problem;
    try {
        read_run(sim::Json::parse(watched.header.run), watched);
        return watched;
    } catch (sim::Json::Error const& error) {
        problem = error.what();
    } catch (std::out_of_range const& error) {
        problem = error.what();
    }
    throw sim::StorageError(journal, "{} cannot be read (the description of the run in its header: {})",
                            journal.string(), problem);
}

/// Reads a journal repeatedly, each time from where the last look ended.
class Watcher {
  public:
    explicit Watcher(std::filesystem::path output)
        : output_(std::move(output)),
          watched_(read_head(store::journal::journal_path(output_))),
          store_(watched_.header.metrics.size()) {
        if (!std::filesystem::exists(output_)) return;
        auto file = store::load_result_file(output_);  // the file that the run resumed, or a checkpoint
        bool const same_space = space::same_space(file.columns.canonical_text, file.columns.input_hashes,
                                                  watched_.header.canonical_text, watched_.header.inputs);
        if (!same_space || file.store.metrics() != store_.metrics())
            throw sim::StorageError(output_,
                                    "{} and its journal belong to different spaces, so the run cannot be followed",
                                    output_.string());
        store_ = std::move(file.store);
    }

    WatchView look() {
        store::journal::JournalSink sink;
        sink.result = [this](space::Result&& result) { store_.insert(result); };
        sink.block = [this](space::BlockSummary&& block) { store_.insert(block); };
        sink.part = [this](space::BlockPart&& part) { store_.add(std::move(part)); };
        sink.standing = [this](search::Standing&& standing) { standing_ = standing; };
        auto const before = cursor_.offset;
        store::journal::Journal::read(store::journal::journal_path(output_), sink, &cursor_);
        grown_ = cursor_.offset != before;
        WatchView view;
        view.planned = watched_.planned;
        view.evaluated = store_.evaluated() + store_.points_in_open_blocks();
        view.feasible = store_.count(search::Status::ok);
        view.rules = store_.counts_per_rule();
        view.standing = standing_;
        pace_.see(run::seconds_since(begun_), view.evaluated);
        view.rate = pace_.rate();
        view.seconds_left = pace_.seconds_to(view.planned);
        add_front(view);
        return view;
    }

    /// Whether a run writes the journal, decided by its lock; if that is unknown, by records added since the last look;
    /// else by the process that its header names, if that is on this host.
    [[nodiscard]] std::string state() const {
        auto const journal = store::journal::journal_path(output_);
        base::Holder const holder = base::holder_of(journal);
        if (holder == base::Holder::somebody || (holder == base::Holder::unknown && grown_)) return "running";
        if (holder == base::Holder::nobody) return "died";
        if (watched_.process <= 0 || watched_.host != base::machine_name()) return "unknown";
        return ::kill(watched_.process, 0) == 0 || errno == EPERM ? "running" : "died";
    }

  private:
    void add_front(WatchView& view) const {
        if (watched_.objectives.empty() || view.feasible == 0) return;
        auto const fidelity = search::finest_fidelity(store_);
        auto const front = search::front_of(store_, watched_.objectives, fidelity);
        std::vector<double> values;
        for (auto const& member : front.members())
            values.insert(values.end(), member.values.begin(), member.values.end());
        view.front = front.size();
        constexpr std::size_t quick_enough = 2000;  // an exact hypervolume of more members would delay the next look
        view.hypervolume = front.size() <= quick_enough
                               ? dominated_share(values, search::box_of(store_, watched_.objectives, fidelity))
                               : std::nan("");
    }

    std::filesystem::path output_;
    Watched watched_;
    search::ResultStore store_;
    store::journal::JournalCursor cursor_;
    std::optional<search::Standing> standing_;
    bool grown_ = false;  ///< between the last two looks
    Pace pace_;
    Clock::time_point begun_ = Clock::now();
};

/// The status of a run that has ended, from its file.
WatchView view_of(store::ResultFile const& file) {
    WatchView view;
    bool const more_to_do = file.provenance.unfinished();
    view.state = more_to_do ? file.provenance.more_of("state") : store::state_complete;
    auto const counts = search::count_points(file.store);
    view.evaluated = view.planned = counts.points;
    auto const again = file.store.evaluated() - counts.points;  // evaluations at another fidelity
    if (more_to_do) view.planned = std::max(counts.points, store::planned_points(file) - again);
    view.feasible = counts.feasible;
    view.rules = file.store.counts_per_rule();
    view.front = file.front.size();
    view.hypervolume = std::nan("");
    return view;
}

/// The status as text: progress and rate in one line, then a line per broken rule.
std::string text_of(WatchView const& v) {
    std::string text = share_of(v);
    if (v.rate > 0.0) text += fmt::format(", {:.{}f}/s", v.rate, v.rate < 10.0 ? 1 : 0);
    if (v.rate > 0.0 && !v.standing) text += fmt::format(", {} left", print_duration(v.seconds_left));
    text += fmt::format("; {} feasible, {} on the front", v.feasible, v.front);
    if (v.front > 0 && !std::isnan(v.hypervolume)) text += fmt::format(", hypervolume {:.4f}", v.hypervolume);
    if (v.standing) text += "\n  " + search::text_of(*v.standing);
    for (auto const& [rule, points] : v.rules) text += fmt::format("\n  {:<32} {}", rule, points);
    return text + "\n";
}

/// The status as one JSON object (docs/cluster.md).
std::string json_of(WatchView const& v) {
    sim::Json text{{"state", v.state},
                   {"answered", v.evaluated},
                   {"planned", v.planned},
                   {"points_per_second", v.rate},
                   {"seconds_left", sim::finite_or_null(v.standing ? std::nan("") : v.seconds_left)},
                   {"feasible", v.feasible},
                   {"rules", v.rules},
                   {"front", v.front},
                   {"hypervolume", sim::finite_or_null(v.hypervolume)}};
    if (v.standing)
        text["standing"] = {{"closed", v.standing->pruned},
                            {"flying", v.standing->in_flight},
                            {"open", v.standing->open},
                            {"gap", sim::finite_or_null(v.standing->gap)},
                            {"gap_is_rough", v.standing->gap_is_rough}};
    return text.dump(2) + "\n";
}

/// Prints a status over the previous one of so many lines on a terminal, and below it elsewhere. Returns its lines.
std::ptrdiff_t show(WatchView const& view, Format format, std::ptrdiff_t lines = 0) {
    auto const text = format == Format::json ? json_of(view) : text_of(view);
    if (lines > 0 && ::isatty(STDOUT_FILENO) != 0) std::cout << fmt::format("\033[{}A\033[J", lines);
    std::cout << text << std::flush;
    return std::ranges::count(text, '\n');
}

int show_finished(std::filesystem::path const& output, Format format, std::ptrdiff_t lines = 0) {
    auto const view = view_of(store::load_result_file(output, store::no_metrics));
    (void)show(view, format, lines);
    if (view.state == store::state_shards_missing) {
        std::cerr
            << "pimdse: shards are missing in this file; merge it with them, or complete it with explore --resume\n";
        return resumable;
    }
    if (view.state != store::state_stopped) return complete;
    std::cerr << "pimdse: this run was stopped; continue it with explore --resume\n";
    return resumable;
}

/// The status of the run; nullopt if the run has removed its journal, which it does after sealing its file.
std::optional<WatchView> look_while_there(Watcher& watcher, std::filesystem::path const& journal) {
    try {
        WatchView view = watcher.look();
        view.state = watcher.state();
        if (std::filesystem::exists(journal)) return view;
    } catch (sim::StorageError const&) {
        if (std::filesystem::exists(journal)) throw;
    }
    return std::nullopt;
}

}  // namespace

int run_watch(CommandLine const& values) {
    Format const format = format_without_csv(values, "the state of a run");
    double const interval = std::max(number_of<double>(values, "interval", {0.0, 86'400.0}), 0.05);
    std::filesystem::path const output = values.needed("file");
    std::error_code error;  // set for a name that no file can have
    (void)std::filesystem::status(output, error);
    if (error == std::errc::too_many_symbolic_link_levels) (void)input_file(output.string());
    auto const journal = store::journal::journal_path(output);
    if (!std::filesystem::exists(journal, error)) {
        if (!std::filesystem::exists(output, error))
            throw sim::MissingInput("{}: neither the result file nor the journal of a run exists",
                                    shown_name(output.string()));
        return show_finished(input_file(output.string()), format);
    }
    Watcher watcher(output);
    (void)watcher.look();  // a rate needs two looks
    for (std::ptrdiff_t lines = 0;;) {
        std::this_thread::sleep_for(std::chrono::duration<double>(interval));
        auto const view = look_while_there(watcher, journal);
        if (!view) return show_finished(output, format, lines);
        lines = show(*view, format, lines);
        if (view->state == "died") {
            std::cerr << "pimdse: no run is writing this journal; continue it with explore --resume\n";
            return resumable;
        }
        if (view->state == "unknown")
            std::cerr << "pimdse: this file system does not report whether a run has locked the journal, and nothing "
                         "was added to it since the last look\n";
        if (values.contains("once")) return complete;
    }
}

}  // namespace pimdse::dse::cli
