#include "dse/flips/variation.hpp"

#include "models/contract/assumption_texts.hpp"
#include "models/contract/common_parameters.hpp"
#include "models/contract/constants.hpp"
#include "models/contract/technology.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace pimdse::dse::flips {
namespace {

using space_file::Override;

std::string key_of(std::string_view assumption) {
    return std::string(space_file::assumption_prefix) + std::string(assumption);
}

std::string text_in(double si, std::string const& unit) {
    double const value = si / sim::parse_unit(unit).in_si;
    return unit == "1" ? fmt::format("{:.6g}", value) : fmt::format("{:.6g} {}", value, unit);
}

/// Every other choice of an assumption that has names.
void add_choices(std::vector<Variation>& list, std::string_view assumption, std::string const& now,
                 std::vector<std::string> const& choices) {
    for (auto const& choice : choices)
        if (choice != now)
            list.push_back({std::string(assumption), now, choice, {{key_of(assumption), choice}}, false, 0, 0, "", ""});
}

void add_ends(std::vector<Variation>& list, std::string const& name, std::string const& key,
              models::TechnologyRow const& row, double now) {
    auto const& unit = row.constant.unit;
    for (double const end : {row.low, row.high}) {
        if (end == now) continue;
        Variation one{name, text_in(now, unit), text_in(end, unit), {}, true, now, end, unit, key};
        one.overrides = one.at(end);
        list.push_back(std::move(one));
    }
}

/// Rows of technology.toml that constants of these machines are taken from.
std::set<std::string> rows_used(space::Space const& space) {
    std::set<std::string> names;
    for (auto const& machine : space.machines()) {
        auto const constants = models::Constants::load(machine.architecture->name, machine.inputs.options);
        for (auto const& [_, constant] : constants.all())
            if (!constant.technology.empty()) names.insert(constant.technology);
    }
    return names;
}

bool any_has(space::Space const& space, std::string_view parameter) {
    return std::ranges::any_of(space.machines(), [&](auto const& machine) {
        return models::find_parameter(machine.parameters(), parameter) >= 0;
    });
}

/// The batch of every machine that has one, where the scenarios do not ask it.
void add_batches(std::vector<Variation>& list, space::Space const& space) {
    constexpr std::array<std::string_view, 3> batches{"4", "16", "64"};
    for (auto const batch : batches) {
        Variation one{"batch", "1", std::string(batch), {}, false, 0, 0, "", ""};
        for (auto const& machine : space.machines()) {
            int const at = models::find_parameter(machine.parameters(), "batch");
            if (at < 0) continue;
            auto const index = static_cast<std::size_t>(at);
            if (machine.scenarios.ask(index) || machine.axes[index].size() != 1) return;
            one.from = fmt::format("{}", machine.axes[index].at(0).as_integer());
            one.overrides.emplace_back(space.machines().size() > 1 ? machine.name + ".batch" : "batch", batch);
        }
        if (!one.overrides.empty() && one.from != one.to) list.push_back(std::move(one));
    }
}

}  // namespace

std::vector<Override> Variation::at(double value) const { return {{key, text_in(value, unit)}}; }

std::vector<Variation> variations_of(space::Space const& space) {
    auto const& assumptions = space.machines().front().inputs.options.assumptions;
    auto const technology = models::Technology::load(assumptions);
    std::vector<Variation> list;
    auto const now = [&](std::string_view key) { return models::text_of(assumptions, key); };
    add_choices(list, "view", now("view"), {"hardware", "deployed"});
    add_choices(list, "constants", now("constants"), {"papers", "technology"});
    add_choices(list, "host", now("host"), {"excluded", "included"});
    add_choices(list, "precision", now("precision"), {"0", "8", "16"});
    add_choices(list, "node", now("node"), models::node_names());
    add_batches(list, space);
    for (auto const name : {models::attained_share_name, models::layer_overhead_name}) {
        if (!any_has(space, name)) continue;
        auto const& row = technology.row(name);
        double const neutral = name == models::attained_share_name ? 1.0 : 0.0;
        double const here = assumptions.view == models::View::deployed ? row.constant.si : neutral;
        add_ends(list, std::string(name), key_of(name), row, here);
    }
    auto rows = rows_used(space);
    if (assumptions.host == models::Host::included) rows.insert("host_power");
    if (assumptions.constants == models::ConstantSource::technology || assumptions.host == models::Host::included)
        for (auto const& name : rows)
            add_ends(list, name, key_of("technology." + name), technology.row(name), technology.row(name).constant.si);
    return list;
}

}  // namespace pimdse::dse::flips
