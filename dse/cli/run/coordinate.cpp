#include "dse/cli/run/coordinate.hpp"

#include "dse/answers/point_counts.hpp"
#include "dse/cli/run/join.hpp"
#include "dse/cli/run/now_text.hpp"
#include "dse/cli/run/progress.hpp"
#include "dse/cli/run/service.hpp"
#include "dse/cli/run/stop_signals.hpp"
#include "dse/cli/run/worker.hpp"
#include "dse/cli/version.hpp"
#include "dse/evaluate/thread_count.hpp"
#include "dse/explore.hpp"
#include "dse/front/front.hpp"
#include "dse/job/coordinator.hpp"
#include "dse/job/visitors.hpp"
#include "dse/store/result/checkpoints.hpp"
#include "dse/store/result/result_writer.hpp"
#include "dse/store/storage_error.hpp"
#include "dse/strategy/listed.hpp"
#include "dse/strategy/shard.hpp"
#include "dse/strategy/strategies.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <random>
#include <utility>

namespace pimdse::dse::cli::run {
namespace {

std::string random_run_id() {
    std::random_device device;  // names the run in /provenance; decides nothing else
    return fmt::format("{:08x}{:08x}", device(), device());
}

[[noreturn]] void give_up(std::string const& why) {
    std::cerr << fmt::format("pimdse: {} (nothing acknowledged is lost; --resume goes on)\n", why);
    std::_Exit(resumable);  // other threads may be stuck: nothing is left to them
}

RunSummary summarize(RunRequest const& request, Explored const& explored, answers::ResultStore const& store,
                     space::Space const& space, Job const& job) {
    RunSummary summary;
    summary.output = request.output;
    summary.ranks = job.ranks != nullptr ? job.ranks->size() : 1;
    auto const counts = answers::count_points(store);
    summary.points = counts.points;
    summary.evaluated = explored.progress.evaluated;
    summary.remembered = explored.progress.told - explored.progress.evaluated;
    summary.feasible = counts.feasible;
    summary.infeasible = counts.infeasible;
    summary.failed = counts.failed;
    summary.front = front::front_of(store, space.objectives()).size();
    summary.complete = explored.complete;
    return summary;
}

/// Of a search that does not listen; what others ask for depends on every answer.
std::vector<store::result::Plan> plan_of(space::Space const& space) {
    auto const& search = space.search();
    if (search.strategy != "sweep" && search.strategy != "random" && search.strategy != "sobol") return {};
    auto const here = strategy::shard_positions(space);
    auto const whole = search.budget == 0 ? space.size() : std::min(search.budget, space.size());
    auto const seed = search.strategy == "sweep" ? "" : fmt::format(", seed {}", search.seed);
    return {{fmt::format("{} at {} fidelity{}", search.strategy, models::name_of(search.fidelity), seed), here.first,
             here.last, whole}};
}

store::result::Provenance provenance_of(RunRequest const& request, space::Space const& space, Job const& job,
                                        int threads, std::string const& start, std::string_view state) {
    static std::string const run_id = random_run_id();
    store::result::Provenance provenance;
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
    for (auto const& [what, note] : space.notes()) provenance.more.emplace_back("classes_of_" + what, note);
    if (auto const missing = space.not_known(); !missing.empty())
        provenance.more.emplace_back("not_known", fmt::format("{}", fmt::join(missing, "; ")));
    return provenance;
}

/// It is kept beside the run's own, so that their front is that of both.
void begin_with(task::Answer const& answer, strategy::Strategy& strategy, answers::ResultStore& store) {
    (void)strategy.know(answer);
    if (store.insert(answer) == answers::ResultStore::Insertion::conflict)
        throw store::MismatchError(
            fmt::format("point {} is answered differently in the file of --warm-start and in the output (the models "
                        "changed in between?). Use --force to begin anew?",
                        index_of(answer.task.point)));
}

store::result::Checkpoints::Settings checkpoint_settings(RunRequest const& request,
                                                         std::function<store::result::Provenance()> provenance) {
    return {request.output, request.checkpoint_seconds, std::move(provenance), request.rows_per_part};
}

StopSignals::Actions told_of_signals() {
    return {
        [] { std::cerr << "pimdse: stopping when the points under way are answered; another signal abandons them\n"; },
        [] { give_up("the points under way are abandoned"); }};
}

/// None where somebody else decides what is asked.
std::unique_ptr<strategy::Strategy> own_search(RunRequest const& request, space::Space const& space) {
    if (request.served) return nullptr;
    return request.refined ? strategy::make_listed(*request.refined) : strategy::make_strategy(space);
}

}  // namespace

void Job::dismiss(ExitCode otherwise) {
    constexpr double patience_seconds = 60.0;
    if (ranks != nullptr && !std::exchange(dismissed, true)) dismiss_workers(*ranks, patience_seconds, otherwise);
}

evaluate::WorkSettings work_settings(RunRequest const& request, job::Communicator const* ranks) {
    evaluate::WorkSettings settings;
    settings.end_job = [ranks](std::string const& why) {
        std::cerr << fmt::format("pimdse: {}; the job ends (nothing acknowledged is lost; --resume goes on)\n", why);
        ranks->end_job(resumable);
    };
    settings.threads = evaluate::thread_count(request.threads);
    settings.silence_seconds = request.silence_seconds;
    settings.point_seconds = request.point_seconds;
    settings.worker_process = worker_settings(request.space_file.string(), request.overrides, request.point_seconds);
    settings.give_up = &give_up;
    return settings;
}

RunSummary coordinate(RunRequest const& request, space::Space const& space, store::journal::Journal journal,
                      Remembered& remembered, Job& job) {
    auto const begun = std::chrono::steady_clock::now();
    auto settings = work_settings(request, job.ranks);
    std::optional<job::Visitors> visitors;
    if (request.joinable)
        settings.visitors = &visitors.emplace(request.output, request.join_port, welcome_of(request, space));
    answers::ResultStore& store = remembered.store;
    store::result::Timeline timeline;
    auto const own = own_search(request, space);
    auto const provenance = [&, start = now_text()](std::string_view state) {
        auto made = provenance_of(request, space, job, settings.threads, start, state);
        made.earlier = remembered.runs;
        if (visitors) made.joined = visitors->machines();
        made.progress = timeline.moments();
        if (!request.served) made.set_more("planned", fmt::to_string(own->planned()));
        return made;
    };
    StopSignals const signals(StopSignals::Role::coordinator, request.seconds_allowed, told_of_signals());
    ProgressLine line(progress_style(request.progress));
    auto const pool =
        job.ranks != nullptr ? make_coordinator(*job.ranks, space, settings) : job::make_thread_pool(space, settings);
    for (auto const& answer : remembered.warm) begin_with(answer, *own, store);
    auto const checkpoint_provenance = [&] {
        journal.check_still_ours();  // else the file is another run's, too
        return provenance("going on");
    };
    auto checkpoints = std::make_unique<store::result::Checkpoints>(checkpoint_settings(request, checkpoint_provenance),
                                                                    space.columns(), store);
    std::optional<Service> service;
    if (request.served) service.emplace(space, store, [&journal] { journal.commit(); });
    strategy::Strategy& strategy = service ? service->search() : *own;
    auto const explored = ending_in_time(request, [&] {
        return explore(
            space, strategy, *pool, journal, store, signals.token(),
            [&](Progress const& progress) {
                line.show(progress);
                timeline.add({progress.seconds, progress.told});
            },
            remembered.quarantine);
    });
    line.finish();
    if (service) service->search().finish();
    if (visitors) visitors->dismiss();
    job.dismiss(resumable);  // first: nobody tells the workers that rank 0 is alive while it writes files
    checkpoints.reset();
    journal.check_still_ours();
    RunSummary summary = summarize(request, explored, store, space, job);
    summary.threads = settings.threads;
    summary.certificate = strategy.certificate();
    summary.ending = strategy.ending();
    summary.digest =
        seal(request.output, space.columns(), store, provenance(explored.complete ? "complete" : "stopped"),
             settings.threads, request.rows_per_part, summary.certificate ? &*summary.certificate : nullptr);
    journal.remove();  // every answer is in the sealed file now
    summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    if (service) service->say_goodbye(summary);
    return summary;
}

}  // namespace pimdse::dse::cli::run
