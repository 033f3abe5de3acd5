#include "dse/cli/coordinate.hpp"

#include "dse/base/durable_file.hpp"
#include "dse/base/thread_count.hpp"
#include "dse/cli/stop_signals.hpp"
#include "dse/cli/verb.hpp"
#include "dse/report/served_search.hpp"
#include "dse/run/chunk_runner.hpp"
#include "dse/run/explore.hpp"
#include "dse/run/isolation.hpp"
#include "dse/run/liveness.hpp"
#include "dse/run/mpi_transport.hpp"
#include "dse/run/stop_signal_list.hpp"
#include "dse/search/front.hpp"
#include "dse/search/point_counts.hpp"
#include "dse/search/strategy.hpp"
#include "dse/space/result.hpp"
#include "dse/space/search_settings.hpp"
#include "dse/store/checkpoints.hpp"
#include "dse/store/journal.hpp"
#include "dse/store/result_file.hpp"
#include "dse/store/result_writer.hpp"
#include "dse/uncertain/pass.hpp"
#include "dse/uncertain/study.hpp"
#include "dse/uncertain/uncertainty_reader.hpp"
#include "sim/base/digest.hpp"
#include "sim/base/file_error.hpp"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>

namespace pimdse::dse::cli {

namespace {

std::string random_run_id() {
    std::random_device device;  // used only for the name of the run in /provenance
    return fmt::format("{:08x}{:08x}", device(), device());
}

[[noreturn]] void give_up(std::string const& why) {
    std::cerr << fmt::format("pimdse: {} (no acknowledged result is lost; continue with --resume)\n", why);
    std::_Exit(resumable);  // no clean-up: other threads may be stuck
}

RunSummary summarize(RunRequest const& request, run::Explored const& explored, search::Strategy const& strategy,
                     search::ResultStore const& store, space::Space const& space, Job const& job) {
    RunSummary summary;
    summary.output = request.output;
    summary.ranks = job.ranks != nullptr ? job.ranks->size() : 1;
    auto const counts = search::count_points(store);
    summary.points = counts.points;
    summary.evaluated = explored.progress.evaluated;
    summary.restored = explored.progress.told - explored.progress.evaluated;
    summary.feasible = counts.feasible;
    summary.infeasible = counts.infeasible;
    summary.failed = counts.failed;
    summary.front = search::front_of(store, space.objectives()).size();
    summary.certificate = strategy.certificate();
    summary.ending = strategy.ending();
    return summary;
}

/// The plan of a non-adaptive search; the points of an adaptive search depend on every result.
std::vector<store::Plan> plan_of(space::Space const& space) {
    auto const& search = space.search();
    if (search.strategy != "sweep" && search.strategy != "random" && search.strategy != "sobol") return {};
    auto const here = search::shard_positions(space);
    auto const seed = search.strategy == "sweep" ? "" : fmt::format(", seed {}", search.seed);
    return {{fmt::format("{} at {} fidelity{}", search.strategy, models::name_of(search.fidelity), seed), here.first,
             here.last, space.budget()}};
}

store::Provenance provenance_of(RunRequest const& request, space::Space const& space, Job const& job, int threads,
                                std::string const& start, std::string_view state) {
    static std::string const run_id = random_run_id();
    store::Provenance provenance;
    provenance.run_id = run_id;
    provenance.more.emplace_back("state", state);
    provenance.version = version();
    provenance.git_revision = git_revision();
    provenance.argv = request.words;
    provenance.hosts = job.hosts;
    provenance.ranks = job.ranks != nullptr ? job.ranks->size() : 1;
    provenance.threads = threads;
    provenance.start = start;
    provenance.stop = now_text();
    if (!request.served && !request.refined) provenance.plans = plan_of(space);
    for (auto const& [parameter, note] : space.notes()) provenance.more.emplace_back("classes_of_" + parameter, note);
    if (auto const missing = space.not_known(); !missing.empty())
        provenance.more.emplace_back("not_known", fmt::format("{}", fmt::join(missing, "; ")));
    return provenance;
}

/// Passes an earlier result to the strategy and stores it with those of this run, so that the front is that of both.
void begin_with(space::Result const& result, search::Strategy& strategy, search::ResultStore& store) {
    (void)strategy.know(result);
    if (store.insert(result) == search::ResultStore::Insertion::conflict)
        throw sim::MismatchError(
            "point {} has different results in the file of --warm-start and in the output (the models have probably "
            "changed in between). Use --force to start again?",
            index_of(result.task.point));
}

StopSignals::Actions signal_actions() {
    return {
        [] {
            std::cerr << "pimdse: stopping after the points under way are evaluated; another signal abandons them\n";
        },
        [] { give_up("the points under way are abandoned"); }};
}

/// The transports of a run: the threads of this process, then the other ranks.
class Transports {
  public:
    Transports(space::Space const& space, run::WorkSettings const& settings, run::Communicator* ranks)
        : local_(space, settings) {
        if (ranks != nullptr) mpi_.emplace(*ranks, settings);
        all_.push_back(&local_);
        if (mpi_) all_.push_back(&*mpi_);
    }
    [[nodiscard]] std::vector<run::Transport*> const& all() const { return all_; }

  private:
    run::LocalTransport local_;
    std::optional<run::MpiTransport> mpi_;
    std::vector<run::Transport*> all_;
};

constexpr std::array<std::string_view, 5> pass_names{"best", "worst", "feasible", "forms", "draws"};

std::filesystem::path journal_of(RunRequest const& request, std::string_view pass) {
    auto path = base::destination_of(request.output);
    path += fmt::format(".{}.journal", pass);
    return path;
}

/// The work of rank 0 after the exploration: the front under draws of the uncertain constants. The evaluations are
/// handed out to the threads and ranks of the job and journalled in FILE.h5.NAME.journal, so that a resumed run
/// continues them.
struct PassRunner {
    RunRequest const& request;
    space::Space const& space;
    run::WorkSettings const& settings;
    Job& job;
    std::stop_token stop;
    ProgressLine& line;

    /// nullopt if the run was stopped. If the output has this result already, it is read.
    std::optional<search::RobustFront> front(search::ResultStore const& store,
                                             uncertain::Uncertainty const& uncertainty) {
        job.release(resumable);
        return ending_in_time(request, [&]() -> std::optional<search::RobustFront> {
            if (auto known = earlier(uncertain::key_of(space, store, uncertainty))) return known;
            return uncertain::study(space, store, uncertainty,
                                    [&](auto const& pass, auto const& tasks) { return evaluate(pass, tasks); },
                                    {[&](std::string const& step) { line.say(step); }});
        });
    }

  private:
    /// Announces a pass to the other ranks and evaluates it.
    std::optional<search::ResultStore> evaluate(uncertain::Pass const& pass, std::vector<space::Task> const& tasks) {
        if (stop.stop_requested()) return std::nullopt;
        auto const text = pass.text();
        uncertain::PassSpace const of_pass(space, pass);
        search::ResultStore store(of_pass.space().metrics().size());
        auto journal = opened(pass.name, text, of_pass.space().metrics(), store);
        job.announce(text);
        Transports const transports(of_pass.space(), settings, job.ranks);
        auto const explored =
            run::explore(of_pass.space(), *search::make_listed(tasks), transports.all(), journal, store,
                         {.stop = stop, .watch = [this](run::Progress const& progress) { line.show(progress); }});
        job.release(resumable);
        return explored.complete ? std::optional(std::move(store)) : std::nullopt;
    }

    /// The result that an earlier run wrote, if it is of these results and this uncertainty.
    [[nodiscard]] std::optional<search::RobustFront> earlier(std::string const& key) const {
        if (!request.resumes() || !std::filesystem::exists(request.output)) return std::nullopt;
        auto robust = store::load_result_file(request.output).robust;
        return robust && robust->key == key ? robust : std::nullopt;
    }

    /// The journal of a pass, with its results in the store. One that belongs to other settings is replaced.
    [[nodiscard]] store::journal::Journal opened(std::string_view pass, std::string const& text,
                                                 models::MetricList const& metrics, search::ResultStore& store) const {
        auto header = store::journal::JournalHeader::of(space.columns());
        header.architecture = "uncertain";
        header.metrics = sim::names_of(metrics);
        header.canonical_text += sim::sha256(text);
        auto const path = journal_of(request, pass);
        using store::journal::Journal;
        store::journal::JournalSettings const replacing{.result = store::journal::journal_path(request.output)};
        if (request.resumes() && std::filesystem::exists(path)) {
            store::journal::JournalSink sink;
            sink.result = [&](space::Result&& result) { (void)store.insert(result); };
            try {
                return Journal::resume(path, header, sink, store::journal::OnDamage::refuse, replacing);
            } catch (sim::InputError const&) {
                store = search::ResultStore(metrics.size());  // of other constants, draws or results
            }
        }
        return Journal::create(path, header, store::journal::Existing::replace, replacing);
    }
};

/// Removes the journals of passes, after the result is in the file.
void remove_pass_journals(RunRequest const& request) {
    for (auto const pass : pass_names) {
        std::error_code ignored;
        std::filesystem::remove(journal_of(request, pass), ignored);
    }
}

}  // namespace

void Job::release(ExitCode code_on_timeout) {
    constexpr double patience_seconds = 60.0;
    if (ranks != nullptr && !std::exchange(waiting, true)) dismiss_workers(*ranks, patience_seconds, code_on_timeout);
}

void Job::announce(std::string const& pass) {
    if (ranks == nullptr) return;
    release(resumable);
    (void)ranks->broadcast(pass);
    waiting = false;
}

void Job::dismiss(ExitCode code_on_timeout) {
    if (ranks == nullptr || std::exchange(dismissed, true)) return;
    release(code_on_timeout);
    (void)ranks->broadcast("");
}

/// How this program starts itself for points in quarantine; name and overrides of the space as the run received them.
static std::vector<std::string> child_command(RunRequest const& request) {
    std::vector<std::string> words{"/proc/self/exe", std::string(child_verb), request.space_file.string()};
    for (auto const& [name, value] : request.overrides) words.push_back(name + "=" + value);
    return words;
}

run::WorkSettings work_settings(RunRequest const& request, run::Communicator const* ranks) {
    run::WorkSettings settings;
    settings.end_job = [ranks](std::string const& why) {
        std::cerr << fmt::format("pimdse: {}; the job ends (no acknowledged result is lost; continue with --resume)\n",
                                 why);
        ranks->end_job(resumable);
    };
    settings.threads = base::thread_count(request.threads);
    settings.silence_seconds = request.silence_seconds;
    settings.point_seconds = request.point_seconds;
    settings.child = child_command(request);
    settings.give_up = &give_up;
    return settings;
}

RunSummary coordinate(RunRequest const& request, space::Space const& space, store::journal::Journal journal,
                      Restored& restored, Job& job, std::optional<uncertain::Uncertainty> const& uncertainty) {
    auto const begun = std::chrono::steady_clock::now();
    auto const settings = work_settings(request, job.ranks);
    search::ResultStore& store = restored.store;
    store::Timeline timeline;
    auto* const own = restored.search.get();
    auto const provenance = [&, start = now_text()](std::string_view state) {
        auto made = provenance_of(request, space, job, settings.threads, start, state);
        made.earlier = restored.runs;
        made.progress = timeline.moments();
        if (!request.served) made.set_more("planned", fmt::to_string(own->planned()));
        return made;
    };
    StopSignals const signals(StopSignals::Role::coordinator, request.seconds_allowed, signal_actions());
    ProgressLine line(progress_style(request.progress));
    Transports const transports(space, settings, job.ranks);
    for (auto const& result : restored.warm) begin_with(result, *own, store);
    auto const checkpoint_provenance = [&] {
        journal.check_still_ours();  // otherwise the result file belongs to another run, too
        return provenance("going on");
    };
    std::optional<store::Checkpoints> checkpoints;
    checkpoints.emplace(store::Checkpoints::Settings{request.output, request.checkpoint_seconds, checkpoint_provenance,
                                                     request.rows_per_part},
                        space.columns(), store);
    std::optional<report::ServedSearch> served;
    if (request.served) served.emplace(space, store, STDIN_FILENO, STDOUT_FILENO, [&journal] { journal.commit(); });
    search::Strategy& strategy = served ? *served : *own;
    run::ExploreOptions options{.stop = signals.token(), .quarantine = restored.quarantine};
    options.watch = [&](run::Progress const& progress) {
        line.show(progress);
        timeline.add({progress.seconds, progress.told});
    };
    auto const explored = ending_in_time(
        request, [&] { return run::explore(space, strategy, transports.all(), journal, store, options); });
    std::optional<search::RobustFront> robust;
    if (explored.complete && uncertainty)
        robust = PassRunner{request, space, settings, job, signals.token(), line}.front(store, *uncertainty);
    bool const finished = explored.complete && robust.has_value() == uncertainty.has_value();
    line.finish();
    if (served) served->finish();
    job.dismiss(resumable);  // first: rank 0 sends no signs of life to the workers while it writes files
    checkpoints.reset();
    journal.check_still_ours();
    RunSummary summary = summarize(request, explored, strategy, store, space, job);
    summary.threads = settings.threads;
    summary.complete = finished;
    summary.robust = std::move(robust);
    summary.provenance = provenance(finished ? "complete" : "stopped");
    summary.digest =
        store::seal(request.output, space.columns(), store, summary.provenance, summary.threads, request.rows_per_part,
                    summary.certificate ? &*summary.certificate : nullptr, summary.robust ? &*summary.robust : nullptr);
    journal.remove();  // the sealed file now has every result
    if (finished) remove_pass_journals(request);
    summary.seconds = run::seconds_since(begun);
    if (served)
        served->end({{"sealed", summary.output.string()}, {"points", summary.points}, {"digest", summary.digest}});
    return summary;
}

int run_child(std::vector<std::string> const& arguments) {
    struct stat input {};
    bool const called_by_a_run = ::fstat(STDIN_FILENO, &input) == 0 && S_ISSOCK(input.st_mode);
    if (!called_by_a_run || arguments.empty())
        throw UsageError("{} is an internal verb that a run starts for itself. Use pimdse evaluate for one point?",
                         child_verb);
    // The run decides when this process ends. A signal to a whole job (scancel --full) also arrives here.
    for (int const number : run::stop_signals) std::signal(number, SIG_IGN);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // after the death of the parent nobody would read the results
    std::vector<space::Override> overrides;
    for (auto const& word : std::span(arguments).subspan(1)) {
        auto const equal = word.find('=');
        overrides.emplace_back(word.substr(0, equal), word.substr(equal + 1));
    }
    run::serve_apart(STDIN_FILENO, arguments[0], overrides);
    return complete;
}

static_assert(run::exit_code_of_refusal == storage_failed, "what main returns if the host refuses memory");

std::optional<uncertain::Uncertainty> uncertainty_of(RunRequest const& request, space::Space const& space) {
    if (request.served) return std::nullopt;
    uncertain::UncertaintyFlags const flags{request.uncertain, request.uncertain_seed};
    auto uncertainty = uncertain::read_uncertainty(space, request.space_file.string(), flags);
    if (!uncertainty) return std::nullopt;
    if (space.search().keep == space::Keep::front)
        throw UsageError("draws of uncertain constants need every result. Leave out --keep front?");
    if (space.search().shards > 1)
        throw UsageError("draws of uncertain constants need the whole space. Leave out --shard?");
    return uncertainty;
}

void work_on_passes(RunRequest const& request, space::Space const& space, run::Communicator& ranks) {
    while (true) {
        auto const text = ranks.broadcast("");
        if (text.empty()) return;
        uncertain::PassSpace const pass_space(space, uncertain::Pass::from(text));
        run::work_for_rank_0(ranks, pass_space.space(), work_settings(request, &ranks));
    }
}

}  // namespace pimdse::dse::cli
