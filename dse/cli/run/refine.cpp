#include "dse/cli/run/refine.hpp"
#include "dse/cli/changed_input.hpp"

#include "dse/cli/counted.hpp"
#include "dse/cli/flag_values.hpp"
#include "dse/cli/named_files.hpp"
#include "dse/cli/run/front_table.hpp"
#include "dse/space/expression_parser.hpp"
#include "dse/space/search_names.hpp"
#include "dse/store/result/result_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <ranges>

namespace pimdse::dse::cli::run {
namespace {

/// They would choose other points.
void refuse_other_choices(po::variables_map const& values) {
    for (char const* flag : {"strategy", "budget", "seed", "shard", "keep", "space", "supervise", "epsilon", "audit"}) {
        if (values.contains(flag))
            throw UsageError(fmt::format("{}{} does not go with --refine, which takes space and points from its file",
                                         std::string_view(flag) == "space" ? "" : "--", flag));
    }
}

/// What decides points and answers, without which of them a run kept.
nlohmann::json meaning_of(std::string const& canonical) {
    auto text = nlohmann::json::parse(canonical);
    text.erase("kept_front_of");
    return text;
}

/// The folders above each file of a user's own that answers were computed from, nearest first.
std::vector<std::filesystem::path> folders_of_own_files(store::result::ResultFile const& file) {
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

/// The space of the file as its text and these --set flags say it. A file does not know with which it was made.
/// Neither does it know where the space was, beside which files of the user's own are: it is where with its text the
/// space is the same.
space::Space space_again(RunRequest& request, store::result::ResultFile const& file) {
    auto const meant = meaning_of(file.columns.canonical_text);
    auto const in = [&](std::filesystem::path const& folder) {
        return space_file::parse_space(*request.space_text, (folder / file.path.filename()).string(),
                                       request.overrides);
    };
    for (auto const& folder : folders_of_own_files(file)) {
        try {
            auto space = in(folder);
            if (meaning_of(space.canonical_text()) != meant) continue;
            request.space_file = folder / file.path.filename();
            return space;
        } catch (sim::InputError const&) {
            continue;  // files of the user's own are elsewhere
        }
    }
    auto space = in(file.path.parent_path());
    if (meaning_of(space.canonical_text()) != meant)
        throw sim::InputError(
            fmt::format("{} was made with other --set flags, or its architecture has changed (its "
                        "text says another space). Give the same --set flags?",
                        file.path.string()));
    return space;
}

std::vector<task::PointId> chosen_points(po::variables_map const& values, store::result::ResultFile const& file) {
    if (!values.contains("where")) return file.front;
    if (!file.store.blocks().empty())
        throw UsageError("--where: the file keeps fronts only, and points that meet a condition may be left out of it");
    auto const where =
        space::parse_condition(values["where"].as<std::string>(), {file.columns.parameters, file.columns.metrics});
    std::vector<task::PointId> points;
    for (auto const row : rows_of(file.columns, file.store, {file.columns.objectives, &where, file.front_fidelity}))
        points.push_back(file.store.task(row).point);
    return points;
}

/// "gpu has no cycle level: 3 points stay at analytic fidelity, and the front is that of the others."
std::string not_refined_text(std::map<std::string, std::uint64_t> const& points, space::Space const& space,
                             models::Fidelity wanted) {
    std::string text;
    for (auto const& machine : space.machines()) {
        auto const found = points.find(machine.name);
        if (found == points.end()) continue;
        text +=
            fmt::format("{} has no {} level: {} of it not refined, at {} fidelity; the front is that of the others\n",
                        machine.name, models::name_of(wanted), counted(found->second, "point"),
                        models::name_of(space::finest_up_to(*machine.architecture, wanted)));
    }
    return text;
}

/// Points of machines that do not have the level are evaluated at their finest one, so that the file has them, too.
void refine_points(RunRequest& request, space::Space const& space, std::vector<task::PointId> const& points,
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
            fmt::format("--fidelity {}: no machine with a point to be refined has it ({}). Choose points of "
                        "others by --where?",
                        models::name_of(wanted), fmt::join(std::views::keys(not_refined), ", ")));
    request.not_refined = not_refined_text(not_refined, space, wanted);
    std::ranges::stable_sort(*request.refined, {}, &task::Task::fidelity);
}

}  // namespace

void add_refine_flags(po::options_description& flags) {
    auto add = flags.add_options();
    add("refine", po::value<std::string>(), "a result file instead of a space: its front, at a finer --fidelity");
    add("where", po::value<std::string>(), "with --refine: the points that meet this condition instead");
}

void refine(po::variables_map const& values, RunRequest& request) {
    if (!values.contains("refine")) {
        if (values.contains("where")) throw UsageError("--where means nothing without --refine");
        return;
    }
    refuse_other_choices(values);
    request.strategy = "sweep";
    request.keep = space::Keep::all;
    auto file = store::result::load_result_file(input_file(request.space_file.string()));
    if (!request.fidelity) throw UsageError("--refine needs a finer fidelity. Add --fidelity cycle?");
    request.space_text = file.columns.space_text;
    auto const space = space_again(request, file);
    say_changed_input(file, space);
    auto const fidelity =
        from_flag("--fidelity", [&] { return space::parse_fidelity_of_any(space.architectures(), *request.fidelity); });
    if (fidelity <= file.front_fidelity)
        throw UsageError(fmt::format("--fidelity {} is not finer than the {} fidelity of the front of {}",
                                     *request.fidelity, models::name_of(file.front_fidelity), file.path.string()));
    auto const points = chosen_points(values, file);
    if (points.empty()) throw sim::InputError(fmt::format("{}: no point is to be refined", file.path.string()));
    refine_points(request, space, points, fidelity);
    if (request.objectives.empty()) {
        for (auto const& objective : file.columns.objectives)
            request.objectives.push_back(file.columns.metrics[objective.metric].name);
    }
    request.refined_from = std::make_shared<answers::ResultStore const>(std::move(file.store));
}

}  // namespace pimdse::dse::cli::run
