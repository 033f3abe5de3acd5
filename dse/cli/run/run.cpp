#include "dse/cli/run/run.hpp"

#include "dse/cli/flag_values.hpp"
#include "dse/cli/named_files.hpp"
#include "dse/cli/run/dry_run.hpp"
#include "dse/cli/run/join.hpp"
#include "dse/cli/run/remembered.hpp"
#include "dse/cli/run/stop_signals.hpp"
#include "dse/cli/verb.hpp"
#include "dse/cli/verdict.hpp"
#include "dse/cli/version.hpp"
#include "dse/evaluate/evaluation.hpp"
#include "dse/explore.hpp"
#include "dse/front/front.hpp"
#include "dse/job/coordinator.hpp"
#include "dse/job/visitors.hpp"
#include "dse/store/differing_input.hpp"
#include "dse/store/result/checkpoints.hpp"
#include "dse/store/result/result_file.hpp"
#include "dse/strategy/strategy.hpp"
#include "sim/base/check.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

namespace pimdse::dse::cli {
namespace {

std::string now_text() {
    return fmt::format("{:%FT%TZ}",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

void apply_search(RunRequest const& request, Space& space) {
    auto search = space.search();
    if (request.strategy) search.strategy = *request.strategy;
    if (request.budget) search.budget = *request.budget;
    if (request.seed) search.seed = *request.seed;
    if (request.keep) search.keep = *request.keep;
    search.shard = request.shard;
    search.shards = request.shards;
    if (request.fidelity)
        search.fidelity =
            from_flag("--fidelity", [&] { return parse_fidelity(space.architecture(), *request.fidelity); });
    if (request.budget_cap > 0 &&
        std::min(search.budget == 0 ? space.size() : search.budget, space.size()) > request.budget_cap) {
        search.budget = request.budget_cap;
        search.strategy = "random";
    }
    if (request.strategy) from_flag("--strategy", [&] { check_strategy(search.strategy); });
    space.set_search(search);
    if (!request.objectives.empty())
        space.set_objectives(
            from_flag("--objectives", [&] { return parse_objectives(space.metrics(), request.objectives); }));
}

Space space_of(RunRequest const& request, std::string const& text) {
    Space space = Space::parse(text, request.space_file.string(), request.overrides);
    apply_search(request, space);
    return space;
}

void check_output(RunRequest const& request) {
    if (request.if_exists == IfExists::refuse) refuse_existing(request);
    check_writable(request.output);
}

std::string random_run_id() {
    std::random_device device;  // names the run in /provenance; decides nothing else
    return fmt::format("{:08x}{:08x}", device(), device());
}

struct Job {
    Communicator* ranks = nullptr;  ///< nullptr: a single process
    std::vector<std::string> hosts;
    bool dismissed = false;

    /// The workers leave once; who still waits for one that does not ends the job with this code.
    void dismiss(ExitCode otherwise) {
        constexpr double patience_seconds = 60.0;
        if (ranks != nullptr && !std::exchange(dismissed, true)) dismiss_workers(*ranks, patience_seconds, otherwise);
    }
};

/// Runs `work`. When it throws, the process soon ends with the right code even where a point under way takes hours:
/// before a worker takes rank 0 for dead and the job would end as resumable.
template <class Work>
auto ending_in_time(RunRequest const& request, Work const& work) {
    constexpr double longest = 5.0;
    try {
        return work();
    } catch (...) {
        end_within(std::min(longest, request.silence_seconds / 2.0), verdict_of(std::current_exception()));
        throw;
    }
}

[[noreturn]] void give_up(std::string const& why) {
    std::cerr << fmt::format("pimdse: {} (nothing acknowledged is lost; --resume goes on)\n", why);
    std::_Exit(resumable);  // other threads may be stuck: nothing is left to them
}

WorkSettings work_settings(RunRequest const& request, Communicator const* ranks) {
    WorkSettings settings;
    settings.end_job = [ranks](std::string const& why) {
        std::cerr << fmt::format("pimdse: {}; the job ends (nothing acknowledged is lost; --resume goes on)\n", why);
        ranks->end_job(resumable);
    };
    settings.threads = thread_count(request.threads);
    settings.silence_seconds = request.silence_seconds;
    settings.point_seconds = request.point_seconds;
    settings.suspects = {{"/proc/self/exe", std::string(answer_apart_verb)},
                         request.space_file.string(),
                         request.overrides,
                         request.point_seconds};
    settings.give_up = &give_up;
    return settings;
}

RunSummary summarize(Explored const& explored, ResultStore const& store, Space const& space) {
    RunSummary summary;
    summary.points = explored.progress.told;
    summary.evaluated = explored.progress.evaluated;
    summary.remembered = explored.progress.told - explored.progress.evaluated;
    summary.feasible = store.count(Status::ok);
    summary.infeasible = store.count(Status::infeasible);
    summary.failed = store.evaluated() - summary.feasible - summary.infeasible;
    summary.front = front_of(store, space.objectives()).size();
    summary.complete = explored.complete;
    return summary;
}

Provenance provenance_of(RunRequest const& request, Space const& space, Job const& job, int threads,
                         std::string const& start, std::string_view state) {
    static std::string const run_id = random_run_id();
    Provenance provenance;
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
    for (auto const& [what, note] : space.notes()) provenance.more.emplace_back("classes_of_" + what, note);
    return provenance;
}

/// Rank 0, or the only process: explores, dismisses the workers, seals the result file.
RunSummary coordinate(RunRequest const& request, Space const& space, Journal journal, Remembered& remembered,
                      Job& job) {
    auto const begun = std::chrono::steady_clock::now();
    auto settings = work_settings(request, job.ranks);
    std::optional<Visitors> visitors;
    if (request.joinable)
        settings.visitors = &visitors.emplace(request.output, request.join_port, welcome_of(request, space));
    ResultStore& store = remembered.store;
    auto const provenance = [&, start = now_text()](std::string_view state) {
        auto made = provenance_of(request, space, job, settings.threads, start, state);
        made.earlier = remembered.runs;
        if (visitors) made.joined = visitors->machines();
        return made;
    };
    for (auto const& [what, note] : space.notes()) std::cerr << fmt::format("pimdse: classes of {}: {}\n", what, note);
    StopSignals const signals(
        StopSignals::Role::coordinator, request.seconds_allowed,
        {[] { std::cerr << "pimdse: stopping when the points under way are answered; another signal abandons them\n"; },
         [] { give_up("the points under way are abandoned"); }});
    ProgressLine line(progress_style(request.progress));
    auto const pool =
        job.ranks != nullptr ? make_coordinator(*job.ranks, space, settings) : make_thread_pool(space, settings);
    auto checkpoints = std::make_unique<Checkpoints>(
        Checkpoints::Settings{request.output, request.checkpoint_seconds,
                              [&] {
                                  journal.check_still_ours();  // else the file is another run's, too
                                  return provenance("going on");
                              },
                              request.rows_per_part},
        space.columns(), store);
    auto const explored = ending_in_time(request, [&] {
        return explore(
            space, *pool, journal, store, signals.token(), [&line](Progress const& progress) { line.show(progress); },
            remembered.suspects);
    });
    line.finish();
    if (visitors) visitors->dismiss();
    job.dismiss(resumable);  // first: nobody tells the workers that rank 0 is alive while it writes files
    checkpoints.reset();
    RunSummary summary = summarize(explored, store, space);
    summary.output = request.output;
    summary.ranks = job.ranks != nullptr ? job.ranks->size() : 1;
    summary.threads = settings.threads;
    journal.check_still_ours();
    summary.digest =
        seal(request.output, space.columns(), store, provenance(explored.complete ? "complete" : "stopped"),
             settings.threads, request.rows_per_part);
    journal.remove();  // every answer is in the sealed file now
    summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    return summary;
}

/// With what a summary is printed from, so that nothing is read back.
RunSummary with_answers(RunSummary summary, std::shared_ptr<Space const> space, ResultStore&& store) {
    summary.space = std::move(space);
    summary.store = std::make_shared<ResultStore const>(std::move(store));
    return summary;
}

std::optional<RunSummary> run_alone(RunRequest const& request) {
    auto const shared =
        std::make_shared<Space const>(space_of(request, read_space_text(input_file(request.space_file.string()))));
    Space const& space = *shared;
    if (request.dry_run) {
        print_dry_run(space, look_at_remembered(request, space).store, thread_count(request.threads));
        return std::nullopt;
    }
    check_output(request);
    Remembered remembered{ResultStore(space.metrics().size()), {}};
    Journal journal = open_journal(request, space, remembered);
    Job job;
    auto summary = coordinate(request, space, std::move(journal), remembered, job);
    return with_answers(std::move(summary), shared, std::move(remembered.store));
}

/// "S" + hashes of the inputs + a line break + space text when the other ranks shall start, "" when rank 0 cannot.
std::optional<RunSummary> run_first_rank(RunRequest const& request, Communicator& ranks) {
    Job job{&ranks, {}};
    bool started = false;
    try {
        std::string const text = read_space_text(input_file(request.space_file.string()));
        auto const shared = std::make_shared<Space const>(space_of(request, text));
        Space const& space = *shared;
        if (request.dry_run) {
            print_dry_run(space, look_at_remembered(request, space).store, thread_count(request.threads));
            (void)ranks.broadcast("");
            return std::nullopt;
        }
        check_output(request);
        Remembered remembered{ResultStore(space.metrics().size()), {}};
        Journal journal = open_journal(request, space, remembered);
        (void)ranks.broadcast("S" + nlohmann::json{{"inputs", space.columns().input_hashes}}.dump() + "\n" + text);
        started = true;
        job.hosts = ranks.gather(ranks.host());
        auto summary =
            ending_in_time(request, [&] { return coordinate(request, space, std::move(journal), remembered, job); });
        return with_answers(std::move(summary), shared, std::move(remembered.store));
    } catch (...) {
        if (started)
            job.dismiss(verdict_of(std::current_exception()).code);
        else
            (void)ranks.broadcast("");
        throw;
    }
}

/// Ranks that compute from different constants would mix answers of different models.
void check_inputs(Space const& space, std::string const& of_first_rank) {
    auto const theirs = nlohmann::json::parse(of_first_rank).at("inputs").get<InputHashes>();
    auto const input = differing_input(theirs, space.columns().input_hashes);
    if (input)
        throw MismatchError(fmt::format(
            "{} differs from that of rank 0 (answers would be those of another model). Install the same on every node?",
            *input));
}

void run_other_rank(RunRequest const& request, Communicator& ranks) {
    std::string const start = ranks.broadcast("");
    if (start.empty()) return;
    StopSignals const signals(StopSignals::Role::worker, std::nullopt);
    auto const inputs_end = start.find('\n');
    Space const space = space_of(request, start.substr(inputs_end + 1));
    check_inputs(space, start.substr(1, inputs_end - 1));
    (void)ranks.gather(ranks.host());
    serve(ranks, space, work_settings(request, &ranks));
}

/// Without PMIx, srun starts processes that know nothing of each other, and each would explore everything.
void refuse_tasks_that_are_no_ranks() {
    char const* const tasks = std::getenv("SLURM_STEP_NUM_TASKS");
    if (tasks == nullptr || std::atoi(tasks) < 2) return;
    throw UsageError(
        fmt::format("srun started {} tasks that are no ranks of one job (each would explore the whole space). Use srun "
                    "--mpi=pmix, or mpirun?",
                    tasks));
}

/// The launcher of another MPI starts processes that know nothing of each other, too.
void refuse_ranks_that_are_alone(Communicator const& ranks) {
    int const started = ranks_from_launcher();
    if (started <= 1 || started == ranks.size()) return;
    throw UsageError(
        fmt::format("the launcher started {} processes, but {} knows of {} (the launcher belongs to another MPI, so "
                    "each would explore the whole space). "
                    "Use the mpirun of {}?",
                    started, mpi_library(), ranks.size(), mpi_library()));
}

}  // namespace

int RunSummary::exit_code() const {
    if (!complete) return resumable;
    if (failed > 0) return some_points_failed;
    return feasible == 0 ? no_feasible_point : ExitCode::complete;
}

std::optional<RunSummary> run(RunRequest const& request) {
    if (!launched_by_mpi()) {
        refuse_tasks_that_are_no_ranks();
        return run_alone(request);
    }
    int count = 0;
    char** none = nullptr;
    Communicator ranks(count, none);
    refuse_ranks_that_are_alone(ranks);
    if (ranks.size() == 1) return run_alone(request);
    if (ranks.rank() == 0) return run_first_rank(request, ranks);
    try {
        run_other_rank(request, ranks);
    } catch (...) {
        // What only this rank met: the others would wait for it until it counts as silent.
        auto const verdict = verdict_of(std::current_exception());
        verdict.print(fmt::format("pimdse: rank {} on {}", ranks.rank(), ranks.host()));
        ranks.end_job(verdict.code);
    }
    return std::nullopt;
}

}  // namespace pimdse::dse::cli
