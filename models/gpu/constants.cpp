#include "models/gpu/constants.hpp"

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
    c.bind(b.idle_power, name + "_idle_power");
    c.bind(b.memory_bound_power, name + "_memory_bound_power");
    c.bind(b.die, name + "_die");
    c.bind(b.memory_die, name + "_memory_die");
    c.bind(b.memory_dies, name + "_memory_dies");
    c.bind(b.memory_access, name + "_memory_access");
    c.bind(b.interface_share, name + "_interface_share");
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
    c.bind(m.layer_overhead, "layer_overhead");
    c.bind(m.nvlink_latency, "nvlink_latency");
    c.bind(m.pcie_latency, "pcie_latency");
    c.bind(m.link_share, "link_share");
    c.bind(m.memory_share, "memory_share");
    c.bind(m.compute_bound_power, "compute_bound_power");
    c.bind(m.link_transfer, "link_transfer");
    c.bind(m.cache_access, "cache_access");
    c.bind(m.logit_walks, "logit_walks");
    c.bind(m.logit, "logit");
    c.bind_allowance(m.slow_software, "slow_software");
    return m;
}

}  // namespace pimdse::models::gpu
