#include "models/gpu/constants.hpp"

#include "models/contract/technology.hpp"
#include "models/gpu/design.hpp"
#include "models/llm/language_models.hpp"
#include "models/llm/speculation.hpp"

#include <fmt/format.h>
#include <string>

namespace pimdse::models::gpu {
namespace {

BoardConstants board(Constants const& c, std::string const& name) {
    BoardConstants b;
    for (std::size_t i = 0; i < precision_names.size(); ++i) {
        auto const format = name + "_" + std::string(precision_names[i]);
        c.bind(b.peak[i], format + "_peak");
        c.bind(b.compute_share[i], format + "_share");
    }
    c.bind(b.bandwidth, name + "_bandwidth");
    c.bind(b.bandwidth_share, name + "_bandwidth_share");
    c.bind(b.memory, name + "_memory");
    c.bind(b.max_power, name + "_most_power");
    c.bind(b.min_power, name + "_least_power");
    c.bind(b.supply.nominal, name + "_clock");
    c.bind(b.supply.floor, "voltage_floor");
    double lowest = 0.0;
    c.bind(lowest, "lowest_clock");
    b.supply.highest = b.supply.nominal;
    b.supply.lowest = b.supply.nominal * lowest;
    c.bind(b.idle_power, name + "_idle_power");
    c.bind(b.memory_bound_power, name + "_memory_bound_power");
    c.bind(b.die, name + "_die");
    c.bind(b.memory_die, name + "_memory_die");
    c.bind(b.memory_dies, name + "_memory_dies");
    c.bind(b.memory_array, name + "_memory_array");
    c.bind(b.memory_pins, name + "_memory_pins");
    c.bind(b.packages, name + "_packages");
    c.bind(b.package_limit, name + "_package_limit");
    c.bind(b.nvlink, name + "_nvlink");
    c.bind(b.nvlink_devices, name + "_nvlink_devices");
    return b;
}

}  // namespace

MachineConstants load_constants(ModelOptions const& options) {
    auto const c = Constants::load("gpu", options, constant_rules());
    MachineConstants m;
    for (std::size_t i = 0; i < device_names.size(); ++i) m.boards[i] = board(c, std::string(device_names[i]));
    c.bind(m.memory_share, "memory_share");
    c.bind(m.compute_bound_power, "compute_bound_power");
    c.bind(m.memory_clock, "memory_clock");
    c.bind(m.cache_access, "cache_access");
    c.bind(m.logit_walks, "logit_walks");
    c.bind(m.logit, "logit");
    double unrefreshed = 0.0;
    c.bind(unrefreshed, "unrefreshed_share");
    auto const& assumptions = options.assumptions;
    if (assumptions.view == View::hardware)
        for (auto& b : m.boards) b.bandwidth_share = unrefreshed;
    if (assumptions.host == Host::included)
        m.host = sim::Power{Technology::load(assumptions).row("host_power").constant.si};
    c.bind_allowance(m.slow_software, "slow_software");
    return m;
}

namespace {

ConstantRules rules_of_board(std::string const& board) {
    auto const own = [&](std::string const& name) { return board + "_" + name; };
    auto const idle = own("idle_power"), max = own("most_power");
    ConstantRules rules = efficiencies({own("bandwidth_share"), own("memory_bound_power")},
                                       "it is the attained fraction of a figure of the data sheet");
    for (auto const format : precision_names) {
        auto const share = efficiencies({own(std::string(format) + "_share")},
                                        "it is the attained fraction of the peak of the data sheet");
        rules.insert(rules.end(), share.begin(), share.end());
    }
    auto const counts = whole_numbers({own("nvlink_devices"), own("packages")}, 1, 1'000'000, "it is a count");
    rules.insert(rules.end(), counts.begin(), counts.end());
    auto const above_idle = [idle, max](ConstantValues const& value) {
        return value(idle) < value("compute_bound_power") * value(max);
    };
    rules.push_back({fmt::format("{} < compute_bound_power x {}", idle, max),
                     {idle, max, "compute_bound_power"},
                     "a working board draws more than an idle one; the bounds of energy rely on this",
                     above_idle});
    auto const min = own("least_power");
    rules.push_back(
        {fmt::format("{} < {} <= {}", idle, min, max),
         {idle, min, max},
         "a power limit must leave power for work",
         [=](ConstantValues const& value) { return value(idle) < value(min) && value(min) <= value(max); }});
    auto const bound = own("memory_bound_power");
    rules.push_back({fmt::format("{} < {} x {}", idle, bound, max),
                     {idle, max, bound},
                     "a board with saturated memory draws more than an idle one",
                     [=](ConstantValues const& value) { return value(idle) < value(bound) * value(max); }});
    return rules;
}

}  // namespace

ConstantRules constant_rules() {
    ConstantRules rules = efficiencies({"memory_share", "unrefreshed_share", "compute_bound_power"},
                                       "it is the attained fraction of a whole");
    auto const clocks =
        efficiencies({"lowest_clock", "memory_clock"}, "it is a fraction of the clock of the data sheet");
    auto const floors = shares({"voltage_floor"}, "it is a fraction of the voltage at the clock of the data sheet");
    rules.insert(rules.end(), clocks.begin(), clocks.end());
    rules.insert(rules.end(), floors.begin(), floors.end());
    for (auto const board : device_names) {
        auto const own = rules_of_board(std::string(board));
        rules.insert(rules.end(), own.begin(), own.end());
    }
    return rules;
}

std::shared_ptr<void const> prepare(Parameters const& parameters, ModelOptions const& options) {
    auto prepared = std::make_shared<Prepared>();
    prepared->machine = load_constants(options);
    auto const llm = static_cast<std::size_t>(find_parameter(parameters, "llm"));
    for (auto const& name : parameters.at(llm).choices) prepared->models.push_back(load_language_model(name));
    prepared->drafts = draft_models(parameters, prepared->models);
    return prepared;
}

}  // namespace pimdse::models::gpu
