#include "dse/cli/run.hpp"

#include "dse/base/durable_file.hpp"
#include "dse/base/thread_count.hpp"
#include "dse/cli/coordinate.hpp"
#include "dse/cli/dry_run.hpp"
#include "dse/cli/earlier_results.hpp"
#include "dse/cli/question.hpp"
#include "dse/cli/stop_signals.hpp"
#include "dse/cli/verb.hpp"
#include "dse/report/served_search.hpp"
#include "dse/run/mpi_transport.hpp"
#include "dse/search/point_counts.hpp"
#include "dse/space/input_hashes.hpp"
#include "dse/space/machine.hpp"
#include "dse/space/search_settings.hpp"
#include "models/contract/architecture.hpp"
#include "sim/base/file_error.hpp"
#include "sim/base/json.hpp"

#include <cstdlib>
#include <limits>
#include <map>
#include <set>

namespace pimdse::dse::cli {

/// Called after the result file is written: throws MismatchError if a cycle-level result is outside a proved analytic
/// bound of the same run or of the file that the run refines.
static void refuse_broken_bounds(RunRequest const& request, RunSummary const& summary) {
    if (!summary.store || !summary.space) return;
    auto const& metrics = summary.space->metrics();
    auto const& cycle_results = *summary.store;
    auto broken = search::first_broken_bound(cycle_results, cycle_results, metrics.size());  // bounds are in it as well
    if (!broken && request.refined_from)
        broken = search::first_broken_bound(cycle_results, *request.refined_from, metrics.size());
    if (!broken) return;
    throw sim::MismatchError("{}. {} is complete, but a bound in it is wrong: use only its cycle-level results?",
                             search::text_of(*broken, metrics), summary.output.string());
}

namespace {

/// Sets the fidelity of the search; some strategies prescribe it.
void settle_fidelity(RunRequest const& request, space::SearchSettings& search) {
    auto const own = space::final_fidelity(search);
    if (request.fidelity && request.fidelity != space::hybrid_name && search.fidelity != own) {
        throw UsageError(
            "--fidelity {} cannot be combined with strategy '{}', which ends at {} fidelity. Leave it out?",
            *request.fidelity, search.strategy, models::name_of(own));
    }
    search.fidelity = own;
}

/// Applies --fidelity, and --strategy to a space of fidelity hybrid, which is a strategy of its own.
void set_fidelity(RunRequest const& request, space::Space const& space, space::SearchSettings& search) {
    bool const hybrid = search.fidelity == models::Fidelity::hybrid;
    if (request.fidelity == space::hybrid_name) {
        if (request.served)
            throw UsageError(
                "--fidelity hybrid chooses the points of a search itself, and serve evaluates those that it is asked "
                "for. Use --fidelity analytic or cycle?");
        return from_flag("--fidelity", [&] { space::choose_hybrid(search, request.strategy); });
    }
    if (request.fidelity) {
        search.fidelity = from_flag("--fidelity", [&] {
            return request.refined ? space::parse_fidelity_of_any(space.architectures(), *request.fidelity)
                                   : space::parse_fidelity(space.architectures(), *request.fidelity);
        });
        if (hybrid && !request.strategy) search.strategy = space::SearchSettings{}.strategy;
    } else if (hybrid) {
        from_flag("--strategy", [&] { space::choose_hybrid(search, request.strategy); });
    }
}

/// Objectives from the names of a flag; each must be a metric that every machine has for some point.
space::Objectives objectives_of(space::Space const& space, std::vector<std::string> const& names) {
    auto objectives = space::parse_objectives(space.common_metrics(), names);
    for (auto const& name : objectives.read) {
        for (auto const& machine : space.machines()) {
            if (auto const reason = space::why_never(machine, name); !reason.empty()) throw sim::InputError(reason);
        }
    }
    return objectives;
}

/// A design that misses required limits at one level may meet them at the next: a search that prunes by the first
/// would lose it.
void refuse_required_limits(space::Space const& space, space::SearchSettings const& search) {
    if (search.strategy != "ladder") return;
    for (auto const& machine : space.machines())
        for (auto const& scenario : machine.scenarios.list())
            if (scenario.traffic != nullptr && scenario.traffic->required &&
                machine.architecture->fidelities.size() > 1)
                throw sim::InputError(
                    "slo.required cannot be combined with strategy 'ladder', which compares two levels of "
                    "a design: {} could meet the limits at the finer one only. Write good_share >= {:g} as "
                    "a [[constraint]], or use strategy 'sweep'?",
                    machine.name, scenario.traffic->share);
}

void apply_search(RunRequest const& request, space::Space& space) {
    auto search = space.search();
    if (request.strategy) search.strategy = *request.strategy;
    if (request.budget) search.budget = *request.budget;
    if (request.seed) search.seed = *request.seed;
    if (request.stop_after_no_gain) search.stop_after_no_gain = *request.stop_after_no_gain;
    if (request.epsilon) {
        search.epsilon = *request.epsilon;
        from_flag("--epsilon", [&] { space::check_epsilon(search.epsilon); });
    }
    if (request.within) search.within = *request.within;
    if (request.audit) search.audit = *request.audit;
    if (request.keep) search.keep = *request.keep;
    search.shard = request.shard;
    search.shards = request.shards;
    set_fidelity(request, space, search);
    // `quick` evaluates at most budget_cap points; of a larger plan it takes a random sample.
    if (request.budget_cap > 0 &&
        std::min(search.budget == 0 ? space.size() : search.budget, space.size()) > request.budget_cap) {
        search.budget = request.budget_cap;
        search.strategy = "random";
        if (search.fidelity == models::Fidelity::hybrid) search.fidelity = models::Fidelity::analytic;
    }
    if (request.strategy) from_flag("--strategy", [&] { space::check_strategy(search.strategy); });
    settle_fidelity(request, search);
    refuse_required_limits(space, search);
    space.set_search(search);
    if (!request.objectives.empty())
        space.set_objectives(from_flag("--objectives", [&] { return objectives_of(space, request.objectives); }));
}

std::string text_of(RunRequest const& request) {
    if (request.space_text) return *request.space_text;
    return space::read_space_text(input_file(request.space_file.string()));
}

space::Space space_of(RunRequest const& request, std::string const& text) {
    auto const file = request.space_file.string();
    auto space = [&] {
        try {
            return space::parse_space(text, file, request.overrides);
        } catch (sim::InputError const& error) {
            if (request.space_text) throw named_after_flags(error, file, text);
            throw;
        }
    }();
    apply_search(request, space);
    auto const& [metric, better] = space.objectives().front();
    std::string_view const right = better == models::Sense::minimize ? "minimize" : "maximize";
    if (!request.decides.empty() && request.decides != right)
        throw UsageError("--{0}: {1} is a metric to {2}. Write --{2} '{1}'?", request.decides,
                         space.metrics()[metric].name, right);
    if (request.served) report::ServedSearch::check(space);
    return space;
}

void check_output(RunRequest const& request) {
    if (request.if_exists == IfExists::refuse) refuse_existing(request);
    if (request.if_exists == IfExists::replace) refuse_other_files(request);
    base::check_writable(request.output);
}

/// The work of the only process, or of rank 0. To start the other ranks, it broadcasts "S" (start), the hashes of the
/// inputs, a line break and the text of the space. The summary has the space and the results, so that no file is read
/// back. nullopt after --dry-run.
std::optional<RunSummary> run_here(RunRequest const& request, Job& job) {
    std::string const text = text_of(request);
    auto const shared = std::make_shared<space::Space const>(space_of(request, text));
    space::Space const& space = *shared;
    print_remarks(space);
    if (request.dry_run) {
        print_dry_run(space, peek_at_restored(request, space).store, base::thread_count(request.threads));
        return std::nullopt;
    }
    check_output(request);
    auto const uncertainty = uncertainty_of(request, space);
    Restored restored{search::ResultStore(space.metrics().size()), {}};
    store::journal::Journal journal = open_journal(request, space, restored);
    auto const explore = [&] { return coordinate(request, space, std::move(journal), restored, job, uncertainty); };
    RunSummary summary;
    if (job.ranks == nullptr) {
        summary = explore();
    } else {
        (void)job.ranks->broadcast("S" + sim::Json{{"inputs", space.columns().input_hashes}}.dump() + "\n" + text);
        job.started = true;
        job.hosts = job.ranks->gather(job.ranks->host());
        for (auto const& sentence : crowded_hosts(job.hosts, job.ranks->gather(usable_cores_text())))
            std::cerr << fmt::format("pimdse: {}\n", sentence);
        summary = ending_in_time(request, explore);
    }
    summary.space = shared;
    summary.store = std::make_shared<search::ResultStore const>(std::move(restored.store));
    return summary;
}

std::optional<RunSummary> run_alone(RunRequest const& request) {
    Job job;
    return run_here(request, job);
}

/// Rank 0; broadcasts "" to the others if it does not start them.
std::optional<RunSummary> run_first_rank(RunRequest const& request, run::Communicator& ranks) {
    Job job{&ranks, {}};
    try {
        auto summary = run_here(request, job);
        if (!job.started) (void)ranks.broadcast("");
        return summary;
    } catch (...) {
        if (job.started)
            job.dismiss(verdict_of(std::current_exception()).code);
        else
            (void)ranks.broadcast("");
        throw;
    }
}

/// Throws MismatchError if the inputs of this rank differ from those of rank 0: results of different models would be
/// mixed.
void check_inputs(space::Space const& space, std::string const& of_first_rank) {
    auto const theirs = sim::Json::parse(of_first_rank).at("inputs").get<space::InputHashes>();
    auto const input = space::differing_input(theirs, space.columns().input_hashes);
    if (input)
        throw sim::MismatchError(
            "{} differs from that of rank 0 (results would come from another model). {}?", *input,
            space::is_own_file(*input) ? "Give every node the same file" : "Install the same version on every node");
}

void run_other_rank(RunRequest const& request, run::Communicator& ranks) {
    std::string const start = ranks.broadcast("");
    if (start.empty()) return;
    StopSignals const signals(StopSignals::Role::worker, std::nullopt);
    auto const inputs_end = start.find('\n');
    space::Space const space = space_of(request, start.substr(inputs_end + 1));
    check_inputs(space, start.substr(1, inputs_end - 1));
    (void)ranks.gather(ranks.host());
    (void)ranks.gather(usable_cores_text());
    work_for_rank_0(ranks, space, work_settings(request, &ranks));
    work_on_passes(request, space, ranks);
}

/// Throws UsageError for several tasks of srun that are not MPI ranks: without PMIx they do not know of each other, and
/// each would explore the whole space.
void refuse_unconnected_tasks() {
    char const* const tasks = std::getenv("SLURM_STEP_NUM_TASKS");
    if (tasks == nullptr || std::atoi(tasks) < 2) return;
    throw UsageError(
        "srun started {} tasks that are not ranks of one job (each would explore the whole space). Use srun "
        "--mpi=pmix, or mpirun?",
        tasks);
}

/// Throws UsageError if mpirun or srun started several processes of a program without MPI, or does not say that there
/// is only one: each would explore the whole space and write the same file.
void refuse_ranks_without_mpi() {
    char const* const tasks = std::getenv("SLURM_STEP_NUM_TASKS");
    int const started = std::max(base::ranks_from_launcher(), tasks != nullptr ? std::atoi(tasks) : 0);
    if (started == 1 || (started == 0 && !base::launched_by_mpi())) return;
    throw UsageError(
        "the launcher started {} processes, but this program was built without MPI (each would explore the whole "
        "space). Start one, which uses all cores of its host, or use a program with MPI?",
        started > 1 ? std::to_string(started) : "several");
}

/// Throws UsageError if the launcher belongs to another MPI: its processes do not know of each other, either.
void refuse_unconnected_ranks(run::Communicator const& ranks) {
    int const started = base::ranks_from_launcher();
    if (started <= 1 || started == ranks.size()) return;
    throw UsageError(
        "the launcher started {} processes, but {} sees {} (the launcher belongs to another MPI, so each would explore "
        "the whole space). Use the mpirun of {}?",
        started, run::mpi_library(), ranks.size(), run::mpi_library());
}

std::optional<RunSummary> run_on_ranks(RunRequest const& request) {
    if (!run::has_mpi()) {
        refuse_ranks_without_mpi();
        return run_alone(request);
    }
    if (!base::launched_by_mpi()) {
        refuse_unconnected_tasks();
        return run_alone(request);
    }
    int no_arguments = 0;
    char** arguments = nullptr;
    run::Communicator ranks(no_arguments, arguments);
    refuse_unconnected_ranks(ranks);
    if (ranks.size() == 1) return run_alone(request);
    if (ranks.rank() == 0) return run_first_rank(request, ranks);
    try {
        run_other_rank(request, ranks);
    } catch (...) {
        // An error of this rank only: without ending the job, the others would wait until the rank counts as silent.
        auto const verdict = verdict_of(std::current_exception());
        verdict.print(fmt::format("pimdse: rank {} on {}", ranks.rank(), ranks.host()));
        ranks.end_job(verdict.code);
    }
    return std::nullopt;
}

/// Parameters for which the first `points` points lack some values: "vlen 1 of 7 values".
std::vector<std::string> cut_axes(space::Machine const& machine, std::uint64_t points) {
    std::vector<std::string> cut;
    std::uint64_t stride = 1;
    for (std::size_t i = machine.axes.size(); i-- > 0;) {
        auto const size = machine.axes[i].size();
        auto const seen = std::min(size, points / stride + (points % stride != 0 ? 1 : 0));
        if (seen < size) cut.push_back(fmt::format("{} {} of {} values", machine.parameters()[i].name, seen, size));
        stride *= size;
    }
    std::reverse(cut.begin(), cut.end());
    return cut;
}

/// What a sweep of `points` points leaves out of the machine in which it ends and of those that it does not reach.
std::vector<std::string> left_out_by_sweep(space::Space const& space, std::uint64_t points) {
    std::vector<std::string> texts;
    for (std::size_t m = 0; m < space.machines().size(); ++m) {
        auto const& machine = space.machines()[m];
        if (points <= space.first_of(m)) {
            texts.push_back("nothing of " + machine.name);
        } else if (points - space.first_of(m) < machine.size()) {
            auto const cut = cut_axes(machine, points - space.first_of(m));
            texts.insert(texts.end(), cut.begin(), cut.end());
        }
    }
    return texts;
}

void remark_on_corner(space::Space const& space) {
    auto const left_out = left_out_by_sweep(space, space.search().budget);
    if (left_out.empty()) return;
    std::cerr << fmt::format(
        "pimdse: a sweep of {} of {} points covers only a corner of the space ({}). Use --strategy sobol, which "
        "spreads the points?\n",
        space.search().budget, space.size(), fmt::join(left_out, ", "));
}

/// Random points are drawn from all machines together, so they may miss a small machine next to large ones.
void remark_on_small_machines(space::Space const& space) {
    double const share = static_cast<double>(space.search().budget) / static_cast<double>(space.size());
    std::vector<std::string> small;
    for (auto const& machine : space.machines()) {
        if (share * static_cast<double>(machine.size()) < 1.0)
            small.push_back(fmt::format("{} with {} points", machine.name, machine.size()));
    }
    if (small.empty() || space.machines().size() == 1) return;
    std::cerr << fmt::format(
        "pimdse: {} of {} points are drawn from all machines together, so there may be none of {}. Use a larger "
        "--budget, or fewer values for the other machines?\n",
        space.search().budget, space.size(), fmt::join(small, ", "));
}

/// A line about each trace of the scenarios.
std::set<std::string> traces_of(space::Space const& space) {
    std::set<std::string> lines;
    for (auto const& machine : space.machines())
        for (auto const& scenario : machine.scenarios.list())
            if (scenario.traffic != nullptr && !scenario.traffic->trace_text.empty())
                lines.insert(scenario.traffic->trace_text);
    return lines;
}

/// What the ranks on one host report.
struct Host {
    std::size_t ranks = 0;
    std::set<int> cores;
    std::size_t quota = std::numeric_limits<std::size_t>::max();  ///< cores that the control group of a rank may use
};

}  // namespace

RunRequest run_request_of(CommandLine const& values) {
    RunRequest request;
    auto const named = values.needed(values.contains("refine") ? "refine" : "space");
    request.dry_run = values.contains("dry-run");
    if (values.contains("model")) {
        request.space_text = asked_space(values, named);
        request.space_file = "asked.toml";
    } else {
        request.space_file = values.contains("refine") ? std::filesystem::path(named) : space_file(named);
    }
    if (!request.dry_run || values.contains("output")) request.output = output_file(values.needed("output"));
    refuse_same_file(request.space_file, request.output);
    request.overrides = overrides_of(values);
    request.fidelity = values.given("fidelity");
    request.objectives = values.words("objectives");
    if (values.contains("resume")) request.if_exists = IfExists::resume;
    if (values.contains("force")) request.if_exists = values.contains("resume") ? IfExists::salvage : IfExists::replace;
    request.threads = threads_of(values);
    request.point_seconds = seconds_of(values, "point-timeout");
    request.silence_seconds = seconds_of(values, "silence");
    request.rows_per_part = number_of<std::uint64_t>(values, "part-rows", {1, std::numeric_limits<search::Row>::max()});
    request.checkpoint_seconds = seconds_of(values, "checkpoint");
    request.words = values.typed;
    return request;
}

std::optional<RunSummary> run(RunRequest const& request) {
    auto summary = run_on_ranks(request);
    if (summary) refuse_broken_bounds(request, *summary);
    return summary;
}

void print_remarks(space::Space const& space) {
    for (auto const& line : traces_of(space)) std::cerr << "pimdse: " << line << "\n";
    for (auto const& remark : space.remarks()) std::cerr << "pimdse: " << remark << "\n";
    for (auto const& [parameter, note] : space.notes())
        std::cerr << "pimdse: classes of " << parameter << ": " << note << "\n";
    for (auto const& remark : space.not_known()) std::cerr << "pimdse: " << remark << "\n";
    auto const& search = space.search();
    if (search.budget == 0 || search.budget >= space.size()) return;
    if (search.strategy == "sweep" && search.shards == 1) remark_on_corner(space);
    if (search.strategy == "random" || search.strategy == "sobol") remark_on_small_machines(space);
}

std::string usable_cores_text() {
    sim::Json text{{"cores", base::usable_cores()}};
    if (auto const quota = base::cgroup_quota()) text["quota"] = *quota;
    return text.dump();
}

std::vector<std::string> crowded_hosts(std::vector<std::string> const& hosts, std::vector<std::string> const& cores) {
    sim::expects(hosts.size() == cores.size(), "every rank reports its host and its cores");
    std::map<std::string, Host> found;
    for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
        auto const text = sim::Json::parse(cores[rank]);
        auto& host = found[hosts[rank]];
        ++host.ranks;
        for (auto const& core : text.at("cores")) host.cores.insert(core.get<int>());
        host.quota = std::min(host.quota, text.value("quota", host.quota));
    }
    std::vector<std::string> sentences;
    for (auto const& [name, host] : found) {
        auto const allowed = std::min(host.cores.size(), host.quota);
        if (host.ranks > allowed)
            sentences.push_back(fmt::format(
                "{} ranks share {} {} of {}, which is slower than one rank per core. Start at most {} ranks there?",
                host.ranks, allowed, allowed == 1 ? "core" : "cores", name, allowed));
    }
    return sentences;
}

}  // namespace pimdse::dse::cli
