#include "dse/cli/run/run.hpp"

#include "dse/cli/flag_values.hpp"
#include "dse/cli/named_files.hpp"
#include "dse/cli/run/broken_bounds.hpp"
#include "dse/cli/run/coordinate.hpp"
#include "dse/cli/run/crowded_hosts.hpp"
#include "dse/cli/run/dry_run.hpp"
#include "dse/cli/run/remarks.hpp"
#include "dse/cli/run/remembered.hpp"
#include "dse/cli/run/stop_signals.hpp"
#include "dse/evaluate/thread_count.hpp"
#include "dse/job/serve.hpp"
#include "dse/served/served_search.hpp"
#include "dse/space/applicability.hpp"
#include "dse/space/search_names.hpp"
#include "dse/space_file/space_reader.hpp"
#include "dse/store/differing_input.hpp"
#include "dse/strategy/strategies.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

namespace pimdse::dse::cli::run {
namespace {

/// Some strategies end at a fidelity of their own.
void settle_fidelity(RunRequest const& request, space::SearchSettings& search) {
    auto const own = strategy::final_fidelity(search);
    if (request.fidelity && search.fidelity != own) {
        throw UsageError(
            fmt::format("--fidelity {} does not go with strategy '{}', which ends at {} fidelity. Leave it out?",
                        *request.fidelity, search.strategy, models::name_of(own)));
    }
    search.fidelity = own;
}

/// Of names from a flag: every machine has each of them for some point.
space::Objectives objectives_of(space::Space const& space, std::vector<std::string> const& names) {
    auto objectives = space::parse_objectives(space.common_metrics(), names);
    for (auto const& name : objectives.read) {
        for (auto const& machine : space.machines()) {
            if (auto const why = space::why_never(machine, name); !why.empty()) throw sim::InputError(why);
        }
    }
    return objectives;
}

void apply_search(RunRequest const& request, space::Space& space) {
    auto search = space.search();
    if (request.strategy) search.strategy = *request.strategy;
    if (request.budget) search.budget = *request.budget;
    if (request.seed) search.seed = *request.seed;
    if (request.stop_after_no_gain) search.stop_after_no_gain = *request.stop_after_no_gain;
    if (request.epsilon) from_flag("--epsilon", [&] { strategy::check_epsilon(search.epsilon = *request.epsilon); });
    if (request.audit) search.audit = *request.audit;
    if (request.keep) search.keep = *request.keep;
    search.shard = request.shard;
    search.shards = request.shards;
    if (request.fidelity)
        search.fidelity = from_flag("--fidelity", [&] {
            return request.refined ? space::parse_fidelity_of_any(space.architectures(), *request.fidelity)
                                   : space::parse_fidelity(space.architectures(), *request.fidelity);
        });
    if (request.budget_cap > 0 &&
        std::min(search.budget == 0 ? space.size() : search.budget, space.size()) > request.budget_cap) {
        search.budget = request.budget_cap;
        search.strategy = "random";
    }
    if (request.strategy) from_flag("--strategy", [&] { strategy::check_strategy(search.strategy); });
    settle_fidelity(request, search);
    space.set_search(search);
    if (!request.objectives.empty())
        space.set_objectives(from_flag("--objectives", [&] { return objectives_of(space, request.objectives); }));
}

std::string text_of(RunRequest const& request) {
    if (request.space_text) return *request.space_text;
    return space_file::read_space_text(input_file(request.space_file.string()));
}

space::Space space_of(RunRequest const& request, std::string const& text) {
    space::Space space = space_file::parse_space(text, request.space_file.string(), request.overrides);
    apply_search(request, space);
    if (request.served) served::ServedSearch::check(space);
    return space;
}

void check_output(RunRequest const& request) {
    if (request.if_exists == IfExists::refuse) refuse_existing(request);
    if (request.if_exists == IfExists::replace) refuse_other_files(request);
    store::check_writable(request.output);
}

/// With what a summary is printed from, so that nothing is read back.
RunSummary with_answers(RunSummary summary, std::shared_ptr<space::Space const> space, answers::ResultStore&& store) {
    summary.space = std::move(space);
    summary.store = std::make_shared<answers::ResultStore const>(std::move(store));
    return summary;
}

std::optional<RunSummary> run_alone(RunRequest const& request) {
    auto const shared = std::make_shared<space::Space const>(space_of(request, text_of(request)));
    space::Space const& space = *shared;
    print_remarks(space);
    if (request.dry_run) {
        print_dry_run(space, look_at_remembered(request, space).store, evaluate::thread_count(request.threads));
        return std::nullopt;
    }
    check_output(request);
    Remembered remembered{answers::ResultStore(space.metrics().size()), {}};
    store::journal::Journal journal = open_journal(request, space, remembered);
    Job job;
    auto summary = coordinate(request, space, std::move(journal), remembered, job);
    return with_answers(std::move(summary), shared, std::move(remembered.store));
}

/// "S" + hashes of the inputs + a line break + space text when the other ranks shall start, "" when rank 0 cannot.
std::optional<RunSummary> run_first_rank(RunRequest const& request, job::Communicator& ranks) {
    Job job{&ranks, {}};
    bool started = false;
    try {
        std::string const text = text_of(request);
        auto const shared = std::make_shared<space::Space const>(space_of(request, text));
        space::Space const& space = *shared;
        print_remarks(space);
        if (request.dry_run) {
            print_dry_run(space, look_at_remembered(request, space).store, evaluate::thread_count(request.threads));
            (void)ranks.broadcast("");
            return std::nullopt;
        }
        check_output(request);
        Remembered remembered{answers::ResultStore(space.metrics().size()), {}};
        store::journal::Journal journal = open_journal(request, space, remembered);
        (void)ranks.broadcast("S" + nlohmann::json{{"inputs", space.columns().input_hashes}}.dump() + "\n" + text);
        started = true;
        job.hosts = ranks.gather(ranks.host());
        for (auto const& sentence : crowded_hosts(job.hosts, ranks.gather(usable_cores_text())))
            std::cerr << fmt::format("pimdse: {}\n", sentence);
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
void check_inputs(space::Space const& space, std::string const& of_first_rank) {
    auto const theirs = nlohmann::json::parse(of_first_rank).at("inputs").get<store::InputHashes>();
    auto const input = store::differing_input(theirs, space.columns().input_hashes);
    if (input)
        throw store::MismatchError(fmt::format(
            "{} differs from that of rank 0 (answers would be those of another model). Install the same on every node?",
            *input));
}

void run_other_rank(RunRequest const& request, job::Communicator& ranks) {
    std::string const start = ranks.broadcast("");
    if (start.empty()) return;
    StopSignals const signals(StopSignals::Role::worker, std::nullopt);
    auto const inputs_end = start.find('\n');
    space::Space const space = space_of(request, start.substr(inputs_end + 1));
    check_inputs(space, start.substr(1, inputs_end - 1));
    (void)ranks.gather(ranks.host());
    (void)ranks.gather(usable_cores_text());
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
void refuse_ranks_that_are_alone(job::Communicator const& ranks) {
    int const started = job::ranks_from_launcher();
    if (started <= 1 || started == ranks.size()) return;
    throw UsageError(
        fmt::format("the launcher started {} processes, but {} knows of {} (the launcher belongs to another MPI, so "
                    "each would explore the whole space). "
                    "Use the mpirun of {}?",
                    started, job::mpi_library(), ranks.size(), job::mpi_library()));
}

std::optional<RunSummary> run_on_ranks(RunRequest const& request) {
    if (!job::launched_by_mpi()) {
        refuse_tasks_that_are_no_ranks();
        return run_alone(request);
    }
    int count = 0;
    char** none = nullptr;
    job::Communicator ranks(count, none);
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

}  // namespace

std::optional<RunSummary> run(RunRequest const& request) {
    auto summary = run_on_ranks(request);
    if (summary) refuse_broken_bounds(request, *summary);
    return summary;
}

}  // namespace pimdse::dse::cli::run
