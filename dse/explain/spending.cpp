#include "dse/explain/spending.hpp"

#include "models/contract/explained.hpp"

namespace pimdse::dse::explain {

std::vector<Spending> spending_of(space::Machine const& machine, models::Point point, models::Fidelity fidelity) {
    auto const parts_of = [&](models::Point asked) {
        return models::explained(*machine.architecture, machine.inputs, asked, fidelity);
    };
    if (machine.scenarios.empty()) return {{"", parts_of(point)}};
    std::vector<Spending> all;
    for (auto const& scenario : machine.scenarios.list()) {
        std::vector<models::Value> asked(point.begin(), point.end());
        for (auto const& [parameter, value] : scenario.asks) asked[parameter] = value;
        all.push_back({scenario.written.name, parts_of(asked)});
    }
    return all;
}

}  // namespace pimdse::dse::explain
