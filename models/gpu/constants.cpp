#include "models/gpu/constants.hpp"

#include "models/contract/technology.hpp"
#include "models/gpu/constant_rules.hpp"

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
    c.bind(b.most_power, name + "_most_power");
    c.bind(b.least_power, name + "_least_power");
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
    c.bind(b.pcie, name + "_pcie");
    c.bind(b.nvlink_devices, name + "_nvlink_devices");
    return b;
}

}  // namespace

MachineConstants load_constants(ModelOptions const& options) {
    auto const c = Constants::load("gpu", options, constant_rules());
    MachineConstants m;
    for (std::size_t i = 0; i < device_names.size(); ++i) m.boards[i] = board(c, std::string(device_names[i]));
    c.bind(m.nvlink_latency, "nvlink_latency");
    c.bind(m.pcie_latency, "pcie_latency");
    c.bind(m.link_share, "link_share");
    c.bind(m.memory_share, "memory_share");
    c.bind(m.compute_bound_power, "compute_bound_power");
    c.bind(m.memory_clock, "memory_clock");
    c.bind(m.link_transfer, "link_transfer");
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

}  // namespace pimdse::models::gpu
