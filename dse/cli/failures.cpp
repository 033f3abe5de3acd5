#include "dse/cli/verb.hpp"
#include "dse/search/point_counts.hpp"
#include "dse/space/canonical_space.hpp"
#include "dse/space/columns.hpp"
#include "dse/store/result_file.hpp"
#include "sim/base/json.hpp"

namespace pimdse::dse::cli {
namespace {

using search::FailureKind;

std::string example_of(store::ResultFile const& file, FailureKind const& kind) {
    return kind.example ? space::replay_command(file.columns, file.store.task(*kind.example)) : std::string();
}

void print_text(store::ResultFile const& file, std::vector<FailureKind> const& kinds) {
    auto const& store = file.store;
    auto const points = search::count_points(store).points;
    for (auto const& kind : kinds) {
        std::cout << fmt::format("{}: {} of {}\n", kind.rule, kind.points, counted(points, "point"));
        if (!kind.example) continue;
        auto const reason =
            fmt::format("    point {}: {}", index_of(store.task(*kind.example).point), store.reason(*kind.example));
        std::cout << wrapped(reason, screen_width(), 4) << fmt::format("\n    {}\n", example_of(file, kind));
    }
    if (kinds.empty()) std::cout << fmt::format("no failures among {}\n", counted(points, "point"));
}

void print_csv(store::ResultFile const& file, std::vector<FailureKind> const& kinds) {
    TextTable table({"rule", "points", "point_id", "reason", "replay"});
    for (auto const& kind : kinds) {
        auto const point = kind.example ? fmt::to_string(index_of(file.store.task(*kind.example).point)) : "";
        table.add({kind.rule, fmt::to_string(kind.points), point,
                   std::string(kind.example ? file.store.reason(*kind.example) : ""), example_of(file, kind)});
    }
    std::cout << table.csv();
}

sim::Json kinds_json(store::ResultFile const& file, std::vector<FailureKind> const& kinds) {
    auto list = sim::Json::array();
    for (auto const& kind : kinds) {
        sim::Json entry{{"rule", kind.rule}, {"points", kind.points}};
        if (kind.example) {
            entry["point_id"] = fmt::to_string(index_of(file.store.task(*kind.example).point));
            entry["reason"] = file.store.reason(*kind.example);
            entry["replay"] = example_of(file, kind);
        }
        list.push_back(std::move(entry));
    }
    return {{"evaluated", file.store.evaluated()}, {"failures", std::move(list)}};
}

/// Adds to the columns of the file what replay commands need of its space; adds nothing if this version of the program
/// no longer knows the space.
void add_replay_columns(store::ResultFile& file) {
    try {
        space::add_replay(file.columns, space::space_of_columns(file.columns, file.path).columns());
    } catch (sim::InputError const&) {
    }
}

}  // namespace

int run_failures(CommandLine const& values) {
    auto const format = format_of(values);
    auto file = store::load_result_file(input_file(values.needed("file")), store::no_metrics);
    add_replay_columns(file);
    auto const kinds = search::failure_kinds(file.store);
    if (format == Format::json)
        print_json(kinds_json(file, kinds));
    else if (format == Format::csv)
        print_csv(file, kinds);
    else
        print_text(file, kinds);
    return complete;
}

}  // namespace pimdse::dse::cli
