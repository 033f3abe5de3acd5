#include "models/contract/architecture.hpp"

#include "models/contract/constants.hpp"
#include "models/contract/finite_metrics.hpp"

#include <algorithm>
#include <utility>

namespace pimdse::models {

Inputs prepare(Architecture const& architecture, Parameters parameters, ModelOptions options) {
    auto prepared = architecture.prepare(parameters, options);
    auto group = architecture.prepare_group == nullptr ? nullptr : architecture.prepare_group(options);
    return {std::move(parameters), std::move(prepared), std::move(options), std::move(group)};
}

Outcome evaluate_safely(Architecture const& architecture, Inputs const& inputs, Point point, Fidelity fidelity) {
    return finite_or_defect(architecture, inputs, point,
                            outcome_safely([&] { return architecture.evaluate(inputs, point, fidelity); }));
}

Constants constants_of(Architecture const& architecture, ModelOptions const& options) {
    return architecture.constants ? architecture.constants(options) : Constants::load(architecture.name, options);
}

namespace {

constexpr std::string_view in_banks = "in_bank_logic";

/// Silicon by process; silicon that is not part of `area` is memory.
std::vector<Share> by_process(AreaProcess process, Breakdown const& breakdown, double silicon) {
    double logic = 0.0, beside_banks = 0.0;
    for (auto const& share : breakdown.area)
        (process == AreaProcess::dram || share.what.starts_with(in_banks) ? beside_banks : logic) += share.amount;
    return {{"logic process", logic},
            {"DRAM process, logic beside banks", beside_banks},
            {"DRAM process, memory", std::max(0.0, silicon - logic - beside_banks)}};
}

}  // namespace

Explained explained(Architecture const& architecture, Inputs const& inputs, Point point, Fidelity fidelity) {
    auto all = architecture.explain(inputs, point, fidelity);
    all.outcome = finite_or_defect(architecture, inputs, point, std::move(all.outcome));
    int const silicon = find_metric(architecture.metrics(), "silicon");
    auto const* metrics = std::get_if<Metrics>(&all.outcome);
    if (metrics != nullptr && silicon >= 0 && architecture.ledger != nullptr)
        all.silicon =
            by_process(architecture.ledger().process, all, (*metrics)[static_cast<std::size_t>(silicon)].value);
    return all;
}

}  // namespace pimdse::models
