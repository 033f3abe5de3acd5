#include "dse/cli/changed_input.hpp"
#include "dse/cli/flag_values.hpp"
#include "dse/cli/incomplete_file.hpp"
#include "dse/cli/json_text.hpp"
#include "dse/cli/named_files.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/run/explanation_text.hpp"
#include "dse/cli/verb.hpp"
#include "dse/explain/explanation_json.hpp"
#include "dse/space/canonical_space.hpp"
#include "dse/space/search_names.hpp"
#include "dse/store/result/result_file.hpp"
#include "models/contract/common_metrics.hpp"

#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>

namespace pimdse::dse::cli::run {
namespace {

Manual const explain_manual{
    "pimdse explain FILE.h5 POINT [flags]",
    "Says why a point of a result file is on the front or not: who covers it, how far each objective may go, how near "
    "conditions are, what the best single change of each parameter would do, where time, energy and area go.",
    "  pimdse explain quick.h5 139\n"
    "prints how much latency, area and energy of point 139 may grow before it leaves the front.",
    {"file", "point"}};

/// Objectives, and common metrics, in which a point may be worse than one expects.
std::vector<bool> metrics_told(task::Columns const& columns) {
    std::vector<bool> wanted;
    for (auto const& metric : columns.metrics) wanted.push_back(models::find_common_metric(metric.name) != nullptr);
    for (auto const& objective : columns.objectives) wanted[objective.metric] = true;
    return wanted;
}

/// Of several machines not every one has the fidelity of the front.
models::Fidelity fidelity_of(po::variables_map const& values, store::result::ResultFile const& file,
                             models::Architecture const& architecture) {
    if (!values.contains("fidelity")) return space::finest_up_to(architecture, file.front_fidelity);
    return from_flag("--fidelity",
                     [&] { return space::parse_fidelity(architecture, values["fidelity"].as<std::string>()); });
}

/// What the answer must be taken with, to standard error.
void print_cautions(store::result::ResultFile const& file, space::Space const& space) {
    say_changed_input(file, space);
    say_incomplete(file);
    if (!file.store.blocks().empty())
        std::cerr << fmt::format("pimdse: {} keeps fronts only, so there may be less slack than is known\n",
                                 file.path.string());
}

}  // namespace

int run_explain(std::vector<std::string> const& arguments) {
    po::options_description flags("Flags");
    auto add = flags.add_options();
    add("fidelity", po::value<std::string>(), "analytic, hybrid or cycle, instead of that of the file's front");
    add("remembered", "evaluate no changes: tell those that the file answers");
    add("threads", po::value<std::string>()->default_value("0"), "for what is evaluated (0: what the machine allows)");
    add_format(flags);
    auto const values = parse(explain_manual, flags, arguments);
    if (!values) return complete;
    Format const format = format_without_csv(*values, "an explanation");
    auto const file =
        store::result::load_result_file(input_file(needed(*values, "file", explain_manual)), metrics_told);
    auto const space = space::space_of_columns(file.columns, file.path);
    if (space.canonical_text() != file.columns.canonical_text)
        throw sim::InputError(
            fmt::format("{}: its architecture has other parameters now than when it was written. "
                        "Explore its space again?",
                        file.path.string()));
    task::PointId const point{
        read_number<std::uint64_t>("POINT", needed(*values, "point", explain_manual), {0, space.size() - 1})};
    auto const& architecture = *space.machines()[space.machine_of(point)].architecture;
    explain::Landscape const landscape(file.store, file.columns.objectives, fidelity_of(*values, file, architecture));
    explain::Ground const ground{space,
                                 file.store,
                                 landscape,
                                 file.certificate ? &*file.certificate : nullptr,
                                 threads_of(*values),
                                 !values->contains("remembered")};
    auto const explanation = explanation_of(ground, point);
    print_cautions(file, space);
    std::cout << (format == Format::json ? json_text(explanation_json(ground, explanation)) + "\n"
                                         : explanation_text(ground, explanation));
    return complete;
}

}  // namespace pimdse::dse::cli::run
