#include "dse/base/json_text.hpp"
#include "dse/cli/named_files.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/verb.hpp"
#include "dse/space/expression_bounds.hpp"
#include "dse/space/formula.hpp"
#include "dse/store/hdf5_file.hpp"
#include "dse/store/result_file.hpp"
#include "sim/base/json.hpp"

#include <iostream>

namespace pimdse::dse::cli {
namespace {

using sim::Json;

Manual const condition_manual{
    "pimdse condition FILE.h5|SPACE.toml 'EXPRESSION' [flags]",
    "Prints the tree of a condition on the columns of a result file or a space, as one line of JSON: numbers in SI, "
    "names resolved to parameters and metrics. Other programs evaluate the tree (docs/spaces.md, Conditions). Write -- "
    "before the file if the expression starts with a minus sign.",
    "  pimdse condition quick.h5 'latency <= 2 ms and channels == 8'\n"
    "prints {\"condition\":\"latency <= 2 ms and channels == "
    "8\",\"tree\":[\"and\",[\"<=\",{\"metric\":\"latency\"},0.002],[\"==\",{\"parameter\":\"channels\"},8.0]]}",
    {"file", "expression"}};

space::Columns columns_of(std::string const& name) {
    if (store::hdf5::is_hdf5(name)) return store::load_columns(input_file(name));
    auto const file = space_file(name);
    return space::parse_space(space::read_space_text(file), file.string()).columns();
}

Json condition_json(std::string const& text, space::Columns const& columns) {
    models::Vocabulary const vocabulary{columns.parameters, columns.metrics};
    return {{"condition", text}, {"tree", space::tree_of(models::parse_condition(text, vocabulary), vocabulary)}};
}

Json objective_json(std::string const& text, space::Columns const& columns) {
    space::MetricFormula const formula(columns.metrics, text);
    auto directions = Json::object();
    for (auto const metric : formula.reads()) directions[columns.metrics[metric].name] = formula.direction_of(metric);
    return {{"objective", text},
            {"unit", formula.metric().unit},
            {"better", formula.metric().better == models::Sense::minimize ? "minimize" : "maximize"},
            {"directions", std::move(directions)},
            {"tree", space::tree_of(formula.expression(), {columns.parameters, columns.metrics})}};
}

}  // namespace

int run_condition(std::vector<std::string> const& arguments) {
    Flags flags;
    flags.toggle("objective",
                 "the expression is a formula of metrics. Also prints its unit, which direction is better, and the "
                 "direction in which it changes with each of its metrics: 1, -1, or 0 if unknown");
    auto const values = parse(condition_manual, flags, arguments);
    auto const file = values.needed("file");
    auto const text = values.needed("expression");
    auto const columns = columns_of(file);
    auto const json = values.contains("objective") ? objective_json(text, columns) : condition_json(text, columns);
    std::cout << base::json_text(json, -1) << "\n";
    return complete;
}

}  // namespace pimdse::dse::cli
