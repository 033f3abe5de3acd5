#include "dse/cli/run.hpp"

#include "dse/cli/stop_signals.hpp"
#include "dse/cli/verb.hpp"
#include "dse/cli/version.hpp"
#include "dse/coordinator.hpp"
#include "dse/evaluation.hpp"
#include "dse/explore.hpp"
#include "dse/front.hpp"
#include "dse/result_file.hpp"
#include "sim/check.hpp"

#include <chrono>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <iostream>
#include <random>

namespace pimdse::dse::cli {
namespace {

std::string now_text() { return fmt::format("{:%FT%TZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()))); }

void apply_search(RunRequest const& request, Space& space) {
    auto search = space.search();
    if (request.strategy) search.strategy = *request.strategy;
    if (request.budget) search.budget = *request.budget;
    if (request.seed) search.seed = *request.seed;
    search.shard = request.shard;
    search.shards = request.shards;
    if (request.fidelity) search.fidelity = parse_fidelity(space.architecture(), *request.fidelity);
    if (request.budget_cap > 0 && std::min(search.budget == 0 ? space.size() : search.budget, space.size()) > request.budget_cap) {
        search.budget = request.budget_cap;
        search.strategy = "random";
    }
    check_strategy(search.strategy);
    space.set_search(search);
    if (!request.objectives.empty()) space.set_objectives(parse_objectives(space.metrics(), request.objectives));
}

Space space_of(RunRequest const& request, std::string const& text) {
    Space space = Space::parse(text, request.space_file.string(), request.overrides);
    apply_search(request, space);
    return space;
}

void check_output(RunRequest const& request) {
    bool const there = std::filesystem::exists(request.output) || std::filesystem::exists(journal_path(request.output));
    if (there && request.if_exists == IfExists::refuse) {
        throw UsageError(fmt::format("{} exists already (it is kept). Use --resume to go on with it, --force to replace it, or another name?", request.output.string()));
    }
    check_writable(request.output);
}

void remember(ResultStore& store, Answer const& answer, std::string const& file) {
    if (store.insert(answer) != ResultStore::Insertion::conflict) return;
    throw MismatchError(fmt::format("{}: point {} is answered differently in the file and in its journal (the models changed in between?). Use --force to begin anew?", file,
                                    index_of(answer.task.point)));
}

/// What earlier runs left: the journal of the run that did not finish and the sealed file. The journal comes first, because
/// its lock makes sure that the predecessor is done with the file.
Journal open_journal(RunRequest const& request, Columns const& columns, ResultStore& store) {
    auto const path = journal_path(request.output);
    auto const header = JournalHeader::of(columns);
    if (request.if_exists == IfExists::refuse || request.if_exists == IfExists::replace) return Journal::create(path, header, Existing::replace);
    JournalSink sink;
    sink.answer = [&store, &request](Answer&& answer) { remember(store, answer, request.output.string()); };
    Journal journal = Journal::resume(path, header, sink, request.if_exists == IfExists::salvage ? OnDamage::salvage : OnDamage::refuse);
    for (auto const& note : journal.report().notes) std::cerr << "pimdse: " << note << "\n";
    if (!std::filesystem::exists(request.output)) return journal;
    auto const file = load_result_file(request.output);
    if (file.columns.canonical_text != columns.canonical_text) {
        if (journal.appended() == 0) journal.remove();
        throw sim::InputError(fmt::format("{}: belongs to another space (its parameters or constraints differ). Another output name?", request.output.string()));
    }
    for (ResultStore::Row row = 0; row < file.store.size(); ++row) remember(store, file.store.answer(row), request.output.string());
    return journal;
}

std::string random_run_id() {
    std::random_device device;   // names the run in /provenance; decides nothing else
    return fmt::format("{:08x}{:08x}", device(), device());
}

struct Job {
    Communicator* ranks = nullptr;   ///< nullptr: a single process
    std::vector<std::string> hosts;
};

void print_dry_run(Space const& space, ResultStore const& store) {
    auto const strategy = make_strategy(space);
    std::cout << fmt::format("{}: {} points in the space, {} to evaluate by '{}' at {} fidelity, {} answered already\n", space.architecture().name, space.size(),
                             strategy->planned(), space.search().strategy, models::name_of(space.search().fidelity), store.size());
    for (std::size_t i = 0; i < space.axes().size(); ++i) {
        if (space.axes()[i].size() > 1) std::cout << fmt::format("  {:<24} {} values\n", space.parameters()[i].name, space.axes()[i].size());
    }
}

RunSummary summarize(Explored const& explored, ResultStore const& store, Space const& space) {
    RunSummary summary;
    summary.points = store.size();
    summary.evaluated = explored.progress.evaluated;
    summary.remembered = store.size() - explored.progress.evaluated;
    summary.feasible = store.count(Status::ok);
    summary.infeasible = store.count(Status::infeasible);
    summary.failed = store.size() - summary.feasible - summary.infeasible;
    summary.front = front_of(store, space.objectives()).size();
    summary.complete = explored.complete;
    return summary;
}

Provenance provenance_of(RunRequest const& request, Job const& job, int threads, std::string const& start) {
    Provenance provenance;
    provenance.run_id = random_run_id();
    provenance.version = version();
    provenance.git_revision = git_revision();
    provenance.argv = request.words;
    provenance.hosts = job.hosts;
    provenance.ranks = job.ranks != nullptr ? job.ranks->size() : 1;
    provenance.threads = threads;
    provenance.start = start;
    provenance.stop = now_text();
    return provenance;
}

/// Rank 0, or the only process: explores, dismisses the workers, seals the result file.
RunSummary coordinate(RunRequest const& request, Space const& space, Journal journal, ResultStore& store, Job const& job) {
    auto const begun = std::chrono::steady_clock::now();
    auto const start = now_text();
    int const threads = thread_count(request.threads);
    StopSignals const signals(StopSignals::Role::coordinator, request.seconds_allowed);
    ProgressLine line(progress_style(request.progress));
    auto const pool = job.ranks != nullptr ? make_coordinator(*job.ranks, space, {.threads = threads}) : make_thread_pool(space, threads);
    auto const explored = explore(space, *pool, journal, store, signals.token(), [&line](Progress const& progress) { line.show(progress); });
    line.finish();
    if (job.ranks != nullptr) dismiss_workers(*job.ranks);
    RunSummary summary = summarize(explored, store, space);
    summary.output = request.output;
    summary.ranks = job.ranks != nullptr ? job.ranks->size() : 1;
    summary.threads = threads;
    summary.digest = seal(request.output, space.columns(), store, provenance_of(request, job, threads, start));
    journal.remove();   // every answer is in the sealed file now
    summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    return summary;
}

std::optional<RunSummary> run_alone(RunRequest const& request) {
    Space const space = space_of(request, read_space_text(request.space_file));
    ResultStore store(space.metrics().size());
    if (request.dry_run) {
        print_dry_run(space, store);
        return std::nullopt;
    }
    check_output(request);
    Journal journal = open_journal(request, space.columns(), store);
    return coordinate(request, space, std::move(journal), store, {});
}

/// "S" + space text when the other ranks shall start, "" when rank 0 cannot.
std::optional<RunSummary> run_first_rank(RunRequest const& request, Communicator& ranks) {
    bool started = false;
    try {
        std::string const text = read_space_text(request.space_file);
        Space const space = space_of(request, text);
        ResultStore store(space.metrics().size());
        if (request.dry_run) {
            print_dry_run(space, store);
            (void)ranks.broadcast("");
            return std::nullopt;
        }
        check_output(request);
        Journal journal = open_journal(request, space.columns(), store);
        (void)ranks.broadcast("S" + text);
        started = true;
        auto const hosts = ranks.gather(ranks.host());
        return coordinate(request, space, std::move(journal), store, {&ranks, hosts});
    } catch (...) {
        if (started) dismiss_workers(ranks);
        else (void)ranks.broadcast("");
        throw;
    }
}

void run_other_rank(RunRequest const& request, Communicator& ranks) {
    std::string const start = ranks.broadcast("");
    if (start.empty()) return;
    StopSignals const signals(StopSignals::Role::worker, std::nullopt);
    Space const space = space_of(request, start.substr(1));
    (void)ranks.gather(ranks.host());
    serve(ranks, space, {.threads = thread_count(request.threads)});
}

}  // namespace

int RunSummary::exit_code() const {
    if (!complete) return resumable;
    if (failed > 0) return some_points_failed;
    return feasible == 0 ? no_feasible_point : ExitCode::complete;
}

std::optional<RunSummary> run(RunRequest const& request) {
    if (!launched_by_mpi()) return run_alone(request);
    int count = 0;
    char** none = nullptr;
    Communicator ranks(count, none);
    if (ranks.size() == 1) return run_alone(request);
    if (ranks.rank() == 0) return run_first_rank(request, ranks);
    run_other_rank(request, ranks);
    return std::nullopt;
}

}  // namespace pimdse::dse::cli
