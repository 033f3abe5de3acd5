#include "models/contract/explained.hpp"

#include "models/contract/ledger.hpp"

#include <algorithm>

namespace pimdse::models {
namespace {

constexpr std::string_view in_banks = "in_bank_logic";

/// What is silicon and no area is memory.
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
    int const silicon = find_metric(architecture.metrics(), "silicon");
    auto const* metrics = std::get_if<Metrics>(&all.outcome);
    if (metrics != nullptr && silicon >= 0 && architecture.ledger != nullptr)
        all.silicon =
            by_process(architecture.ledger().process, all, (*metrics)[static_cast<std::size_t>(silicon)].value);
    return all;
}

}  // namespace pimdse::models
