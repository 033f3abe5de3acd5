#include "models/umdam/constants.hpp"

#include "models/contract/language_models.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace pimdse::models::umdam {

std::vector<std::string> causal_model_names() {
    std::vector<std::string> names;
    for (auto const& name : language_model_names()) {
        if (load_language_model(name).attention == sim::Attention::causal) names.push_back(name);
    }
    return names;
}

Machine Machine::load() {
    auto const c = Constants::load(std::string_view("umdam"));
    Machine m;
    m.pim = {c.get<sim::Time>("mac_extra_activate"), c.number("mac_read_to_precharge"), c.number("global_buffer_write"),
             c.number("results_per_burst"), c.number("mode_switch")};
    double const edge = c.number("cube_edge");
    m.npu = {edge,
             edge,
             edge,
             c.number("chips"),
             c.number("vector_lanes"),
             c.number("norm_operations"),
             c.number("softmax_operations")};
    m.energy.activation = c.get<sim::Energy>("row_activation");
    m.energy.activation_row = c.get<sim::Data>("row_activation_bytes");
    m.energy.array = c.get<sim::EnergyPerByte>("array_access");
    m.energy.transfer = c.get<sim::EnergyPerByte>("pin_transfer");
    m.energy.multiply = c.get<sim::EnergyPerByte>("pim_multiply");
    m.energy.buffer = c.get<sim::EnergyPerByte>("npu_buffer_access");
    m.energy.compute = c.get<sim::EnergyPerOperation>("npu_arithmetic");
    m.baseline = {c.number("fused_efficiency"), c.get<sim::Data>("huge_page"), c.get<sim::Data>("relayout_chunk")};
    m.element_bytes = c.get<sim::Data>("element_bytes").si;
    if (auto const bytes = sim::exact_whole(m.element_bytes); !bytes || *bytes < 1 || *bytes > 16)
        throw sim::InputError(
            fmt::format("element_bytes = {} B (an element has 1 to 16 whole bytes)", m.element_bytes));
    return m;
}

sim::dram::Standard standard_of(Settings const& s, sim::dram::Standard const& file) {
    auto standard = file;
    auto& o = standard.organisation;
    o.channels = static_cast<int>(s.channels);
    o.ranks = static_cast<int>(s.ranks);
    o.bank_groups = static_cast<int>(s.groups);
    o.banks = static_cast<int>(s.banks);
    o.row_bytes = static_cast<int>(s.row_bytes);
    std::int64_t const rank_bytes = s.density << 27;
    o.rows = static_cast<int>(rank_bytes / (s.groups * s.banks * s.row_bytes));
    return standard;
}

double refresh_share(sim::dram::Standard const& standard) {
    auto const& t = standard.timing;
    return static_cast<double>(t.nRFC + t.nRP + t.nRCDRD + banks_per_rank(standard.organisation) - 1) / t.nREFI;
}

double peak_bandwidth(sim::dram::Standard const& standard) {
    double const cycles = std::max(standard.timing.nBL, standard.timing.nCCDS);
    return standard.organisation.channels * standard.organisation.burst_bytes / (cycles * standard.clock.si);
}

}  // namespace pimdse::models::umdam
