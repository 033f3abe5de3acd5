#include "dse/cli/front_table.hpp"
#include "dse/cli/progress.hpp"
#include "dse/cli/run.hpp"
#include "dse/cli/verb.hpp"
#include "dse/space/columns.hpp"
#include "dse/space/search_settings.hpp"
#include "dse/store/result_file.hpp"
#include "models/expression/expression_parser.hpp"
#include "sim/base/json.hpp"

#include <map>
#include <ranges>
#include <tuple>

namespace pimdse::dse::cli {
namespace {

/// Refuses flags that would choose other points.
void refuse_other_choices(CommandLine const& values) {
    for (char const* flag : {"strategy", "budget", "seed", "shard", "keep", "space", "model", "epsilon", "audit"}) {
        if (values.contains(flag))
            throw UsageError("{}{} cannot be combined with --refine, which uses the space and the points of its file",
                             std::string_view(flag) == "space" ? "" : "--", flag);
    }
}

/// The canonical text without the setting of which points a run keeps: the part that determines points and results.
sim::Json meaning_of(std::string const& canonical) {
    auto text = sim::Json::parse(canonical);
    text.erase("kept_front_of");
    return text;
}

/// The folders above each user file from which the results were computed, nearest first.
std::vector<std::filesystem::path> folders_of_own_files(store::ResultFile const& file) {
    std::vector<std::filesystem::path> folders;
    for (auto const& [name, hash] : file.columns.input_hashes) {
        std::filesystem::path const path(name);
        if (!path.is_absolute()) continue;
        for (auto folder = path.parent_path(); folders.size() < 64; folder = folder.parent_path()) {
            folders.push_back(folder);
            if (folder == folder.root_path()) break;
        }
    }
    return folders;
}

/// The space of the file, from its text and the --set flags of this request. A file stores neither the --set flags it
/// was made with nor the folder of the space, relative to which user files are found: the right folder is the one in
/// which the text gives the same space.
space::Space space_again(RunRequest& request, store::ResultFile const& file) {
    auto const meant = meaning_of(file.columns.canonical_text);
    auto const in = [&](std::filesystem::path const& folder) {
        return space::parse_space(*request.space_text, (folder / file.path.filename()).string(), request.overrides);
    };
    for (auto const& folder : folders_of_own_files(file)) {
        try {
            auto space = in(folder);
            if (meaning_of(space.canonical_text()) != meant) continue;
            request.space_file = folder / file.path.filename();
            return space;
        } catch (sim::InputError const&) {
            continue;  // the user files are in another folder
        }
    }
    auto space = in(file.path.parent_path());
    if (meaning_of(space.canonical_text()) != meant)
        throw sim::InputError(
            "{} was made with other --set flags, or its architecture has changed (its text now gives "
            "another space). Use the same --set flags?",
            file.path.string());
    return space;
}

std::vector<space::PointId> chosen_points(CommandLine const& values, store::ResultFile const& file) {
    if (!values.contains("where")) return file.front;
    if (!file.store.blocks().empty())
        throw UsageError(
            "--where: the file keeps fronts only, so points that meet the condition may be missing. Explore with "
            "--keep all?");
    auto const where = models::parse_condition(values.text("where"), {file.columns.parameters, file.columns.metrics});
    std::vector<space::PointId> points;
    for (auto const row : rows_of(file.columns, file.store, {file.columns.objectives, &where, file.front_fidelity}))
        points.push_back(file.store.task(row).point);
    return points;
}

/// "gpu has no cycle level: 3 points left at analytic fidelity; the front contains only the other points".
std::string not_refined_text(std::map<std::string, std::uint64_t> const& points, space::Space const& space,
                             models::Fidelity wanted) {
    std::string text;
    for (auto const& machine : space.machines()) {
        auto const found = points.find(machine.name);
        if (found == points.end()) continue;
        text += fmt::format("{} has no {} level: {} left at {} fidelity; the front contains only the other points\n",
                            machine.name, models::name_of(wanted), counted(found->second, "point"),
                            models::name_of(space::finest_up_to(*machine.architecture, wanted)));
    }
    return text;
}

/// Points of machines without the requested level are evaluated at the finest level of the machine, so that the file
/// contains them, too.
void refine_points(RunRequest& request, space::Space const& space, std::vector<space::PointId> const& points,
                   models::Fidelity wanted) {
    std::map<std::string, std::uint64_t> not_refined;
    request.refined.emplace();
    std::uint64_t left = 0;
    for (auto const point : points) {
        auto const& machine = space.machines()[space.machine_of(point)];
        auto const fidelity = space::finest_up_to(*machine.architecture, wanted);
        request.refined->push_back({point, fidelity});
        if (fidelity == wanted) continue;
        ++not_refined[machine.name];
        ++left;
    }
    if (left == points.size())
        throw UsageError(
            "--fidelity {}: no machine with a point to be refined has this level ({}). Choose points of other machines "
            "with --where?",
            models::name_of(wanted), fmt::join(std::views::keys(not_refined), ", "));
    request.not_refined = not_refined_text(not_refined, space, wanted);
    std::ranges::stable_sort(*request.refined, {}, &space::Task::fidelity);
}

/// With --refine, changes the request so that it evaluates points of a file (its front, or those that meet --where) at
/// a finer fidelity. Throws UsageError and InputError.
void refine(CommandLine const& values, RunRequest& request) {
    if (!values.contains("refine")) {
        if (values.contains("where")) throw UsageError("--where has no effect without --refine. Add --refine FILE.h5?");
        return;
    }
    refuse_other_choices(values);
    request.strategy = "sweep";
    request.keep = space::Keep::all;
    auto file = store::load_result_file(input_file(request.space_file.string()));
    if (!request.fidelity) throw UsageError("--refine needs a finer fidelity. Add --fidelity cycle?");
    if (request.fidelity == space::hybrid_name)
        throw UsageError(
            "--fidelity hybrid chooses the points of a search itself, and --refine has its own. Use --fidelity cycle?");
    request.space_text = file.columns.space_text;
    auto const space = space_again(request, file);
    warn_changed_input(file, space);
    auto const fidelity =
        from_flag("--fidelity", [&] { return space::parse_fidelity_of_any(space.architectures(), *request.fidelity); });
    if (fidelity <= file.front_fidelity)
        throw UsageError("--fidelity {} is not finer than the {} fidelity of the front of {}", *request.fidelity,
                         models::name_of(file.front_fidelity), file.path.string());
    auto const points = chosen_points(values, file);
    if (points.empty()) throw sim::InputError("{}: no point of it is selected to be refined", file.path.string());
    refine_points(request, space, points, fidelity);
    if (request.objectives.empty()) {
        for (auto const& objective : file.columns.objectives)
            request.objectives.push_back(file.columns.metrics[objective.metric].name);
    }
    request.refined_from = std::make_shared<search::ResultStore const>(std::move(file.store));
}

/// "2/8" as (2, 8).
std::pair<std::uint64_t, std::uint64_t> shard_of(std::string const& text) {
    auto const slash = text.find('/');
    auto const shard = number_in<std::uint64_t>(text.substr(0, slash));
    auto const shards = number_in<std::uint64_t>(slash == std::string::npos ? "" : text.substr(slash + 1));
    if (shard && shards && *shard < *shards) return {*shard, *shards};
    throw UsageError("--shard must be K/N with K from 0 to N-1 (got '{}')", text);
}

RunRequest request_of(CommandLine const& values) {
    for (char const* flag : {"scenario", "devices"})
        if (values.contains(flag) && !values.contains("model"))
            throw UsageError("--{} has no effect without --model (a space file has its own)", flag);
    auto request = run_request_of(values);
    request.strategy = values.given("strategy");
    request.budget = given_number<std::uint64_t>(values, "budget");
    request.seed = given_number<std::uint64_t>(values, "seed");
    request.stop_after_no_gain = given_number<std::uint64_t>(values, "stop-after-no-gain");
    request.epsilon = given_number<double>(values, "epsilon");
    request.audit = given_number<std::uint64_t>(values, "audit");
    request.uncertain = given_number<std::uint64_t>(values, "uncertain");
    request.uncertain_seed = given_number<std::uint64_t>(values, "uncertain-seed");
    request.warm_start = values.given("warm-start");
    if (values.contains("shard")) std::tie(request.shard, request.shards) = shard_of(values.text("shard"));
    if (values.contains("time-limit")) request.seconds_allowed = seconds_of(values, "time-limit");
    if (values.contains("keep"))
        request.keep = from_flag("--keep", [&] { return space::parse_keep(values.text("keep")); });
    request.progress = values.text("progress");
    (void)progress_style(request.progress);
    request.format = format_of(values);
    refine(values, request);
    return request;
}

constexpr std::uint64_t max_points = 20'000;

}  // namespace

int run_explore(CommandLine const& values) {
    auto const request = request_of(values);
    if (request.dry_run && request.format != Format::text)
        throw UsageError("--dry-run prints text only. Leave out --format?");
    if (request.refined && request.dry_run) {
        auto const finer = std::ranges::count_if(*request.refined, [&](space::Task const& task) {
            return models::name_of(task.fidelity) == *request.fidelity;
        });
        std::cout << fmt::format("{} of {} would be evaluated at {} fidelity\n{}",
                                 counted(static_cast<std::uint64_t>(finer), "point"),
                                 request.space_file.filename().string(), *request.fidelity, request.not_refined);
        return complete;
    }
    auto const summary = run(request);
    if (!summary) return complete;
    print_summary(*summary, request.format);
    if (request.refined && request.format == Format::text)
        std::cout << fmt::format(
            "(this is the front of the {} chosen; other points may be better at {} fidelity: --strategy ladder "
            "evaluates all that may be)\n{}",
            counted(request.refined->size(), "point"), *request.fidelity, request.not_refined);
    else if (request.refined)
        std::cerr << request.not_refined;
    return summary->exit_code();
}

int run_quick(CommandLine const& values) {
    (void)format_of(values);  // reports a wrong format before any work
    RunRequest request;
    std::string const given = values.given("space").value_or("quick");
    request.space_file = space_file(given);
    request.output = output_file(values.given("output").value_or(request.space_file.stem().string() + ".h5"));
    refuse_same_file(request.space_file, request.output);
    request.overrides = overrides_of(values);
    request.threads = threads_of(values);
    request.progress = values.text("progress");
    request.if_exists = IfExists::replace;
    request.budget_cap = max_points;
    request.words = values.typed;
    auto const summary = run(request);
    if (!summary) return complete;
    bool const capped = summary->points < summary->space->size();
    print_summary(*summary, format_of(values),
                  capped ? fmt::format("pimdse explore {} -o full.h5", space::shell_word(given)) : "");
    return summary->exit_code();
}

int run_serve(CommandLine const& values) {
    auto request = run_request_of(values);
    request.served = true;
    request.progress = "none";
    auto const summary = run(request);
    return !summary || summary->complete ? complete : resumable;  // failures were reported in replies
}

}  // namespace pimdse::dse::cli
