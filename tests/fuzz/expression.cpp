#include "models/expression/expression.hpp"
#include "dse/space/expression_bounds.hpp"
#include "input.hpp"
#include "models/expression/expression_parser.hpp"
#include "models/find_architecture.hpp"
#include "sim/base/json.hpp"

namespace {

using namespace pimdse;

struct Known {
    models::Parameters parameters = models::find_architecture("cim_mesh").parameters();
    models::MetricList metrics = models::find_architecture("cim_mesh").metrics();
    std::vector<models::Value> point = models::default_point(parameters);
    models::Metrics result = models::Metrics(metrics.size(), models::Estimate::exact(1.5));
};

}  // namespace

/// Conditions as in --where and in spaces; what compiles is evaluated.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    static Known const known;
    return fuzz::attempt([&] {
        auto const condition = models::parse_condition(fuzz::text_of(data, size), {known.parameters, known.metrics});
        (void)condition.holds(known.point, known.result);
        (void)condition.slack(known.point, known.result);
        (void)dse::space::tree_of(condition, {known.parameters, known.metrics});
    });
}
