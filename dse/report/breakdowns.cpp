#include "dse/report/breakdowns.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::dse::report {
namespace {

using nlohmann::ordered_json;

/// Names that come again and again, by number.
class PartNames {
  public:
    [[nodiscard]] std::size_t number(std::string const& name) {
        auto const [at, is_new] = numbers_.emplace(name, names_.size());
        if (is_new) names_.push_back(name);
        return at->second;
    }
    [[nodiscard]] std::vector<std::string> const& all() const { return names_; }

  private:
    std::map<std::string, std::size_t> numbers_;
    std::vector<std::string> names_;
};

ordered_json shares_json(std::vector<models::Share> shares, PartNames& names) {
    std::erase_if(shares, [](models::Share const& share) { return share.amount == 0.0; });
    std::ranges::stable_sort(shares, std::greater<>(), &models::Share::amount);
    auto list = ordered_json::array();
    for (auto const& share : shares) list.push_back({names.number(share.what), share.amount});
    return list;
}

ordered_json breakdown_json(models::Breakdown const& breakdown, PartNames& names) {
    return {{"time", shares_json(breakdown.time, names)},
            {"energy", shares_json(breakdown.energy, names)},
            {"area", shares_json(breakdown.area, names)}};
}

/// One design in every scenario, or as it is.
ordered_json design_json(space::Space const& space, task::Task design, PartNames& names) {
    auto const& machine = space.machines()[space.machine_of(design.point)];
    std::vector<models::Value> point;
    space.decode(design.point, point);
    auto const explained = [&](models::Point asked) {
        return breakdown_json(machine.architecture->explain(machine.inputs, asked, design.fidelity), names);
    };
    if (machine.scenarios.empty()) return {{"", explained(point)}};
    ordered_json all;
    for (auto const& scenario : machine.scenarios.list()) {
        auto asked = point;
        for (auto const& [parameter, value] : scenario.asks) asked[parameter] = value;
        all[scenario.written.name] = explained(asked);
    }
    return all;
}

}  // namespace

ordered_json breakdowns_json(space::Space const& space, std::span<task::Task const> designs, BreakdownLimits limits) {
    using Clock = std::chrono::steady_clock;
    auto const end = Clock::now() + std::chrono::duration<double>(limits.seconds);
    PartNames names;
    auto of = ordered_json::object();
    for (auto const design : designs.first(std::min(designs.size(), limits.designs))) {
        if (Clock::now() >= end) break;
        of[fmt::to_string(index_of(design.point))] = design_json(space, design, names);
    }
    auto const answered = of.size();
    return {{"parts", names.all()}, {"of", std::move(of)}, {"asked", designs.size()}, {"answered", answered}};
}

}  // namespace pimdse::dse::report
