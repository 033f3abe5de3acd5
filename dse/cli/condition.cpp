#include "dse/cli/verb.hpp"
#include "dse/space/expression_bounds.hpp"
#include "dse/space/formula.hpp"
#include "dse/store/hdf5_file.hpp"
#include "dse/store/result_file.hpp"
#include "sim/base/json.hpp"

namespace pimdse::dse::cli {
namespace {

using sim::Json;

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

int run_condition(CommandLine const& values) {
    auto const file = values.needed("file");
    auto const text = values.needed("expression");
    auto const columns = columns_of(file);
    auto const json = values.contains("objective") ? objective_json(text, columns) : condition_json(text, columns);
    std::cout << json.dump() << "\n";
    return complete;
}

}  // namespace pimdse::dse::cli
