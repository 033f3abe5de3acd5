#include "models/dplena/npu.hpp"

#include "models/dplena/hbm/clocks.hpp"
#include "models/dplena/ledger.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace pimdse::models::dplena {
namespace {

/// Linear interpolation between the known widths; narrower weights count as the narrowest known ones.
template <class Quantity>
Quantity at_width(std::array<Quantity, MatrixConstants::bits.size()> const& values, std::int64_t weight_bits) {
    auto const& known = MatrixConstants::bits;
    auto const bits = std::clamp(static_cast<double>(weight_bits), known.front(), known.back());
    std::size_t const upper = bits <= known[1] ? 1 : 2;
    double const share = (bits - known[upper - 1]) / (known[upper] - known[upper - 1]);
    return values[upper - 1] * (1.0 - share) + values[upper] * share;
}

/// Bandwidth of all channels with a read every `ticks` ticks: two pseudo-channels with 32 bytes per read.
sim::Bandwidth rate_of(Design const& d, MachineConstants const& machine, std::int64_t ticks) {
    return {static_cast<double>(d.channels * line_bytes) / static_cast<double>(ticks) * hbm_clock(d, machine).si};
}

/// Bandwidth of a pass: `model_bandwidth`, or that of the channels. Refresh reduces both.
sim::Bandwidth pass_bandwidth(Design const& d, MachineConstants const& machine) {
    auto const& timing = machine.hbm.timing;
    auto const carried = d.model_bandwidth > 0.0 ? sim::Bandwidth{d.model_bandwidth} : channel_bandwidth(d, machine);
    auto const lost = d.refresh == Refresh::on
                          ? static_cast<double>(timing.refresh_duration) / static_cast<double>(timing.refresh_interval)
                          : 0.0;
    return carried * (1.0 - lost);
}

/// The request of a design with the formats of its weights and of its keys and values, and its logits in HBM.
text::LlmRequest llm_request(Design const& d, ModelConstants const& c) {
    constexpr int bits_per_byte = 8;
    text::LlmRequest r;
    static_cast<ModelRequest&>(r) = d;
    r.weight_bytes = static_cast<double>(d.weight_bits) / bits_per_byte + c.weight_scale;
    r.cache_bytes = c.kv_element.si;
    r.keeps_logits = true;
    r.kept_states = d.speculation.positions();
    return r;
}

/// Operators of the vector unit; each has a rule and a number, its operations per element.
constexpr std::array elementwise_operators{text::Operator::norm, text::Operator::softmax, text::Operator::rotation,
                                           text::Operator::activation, text::Operator::residual};
/// Numbers that the rules read.
enum Number : std::uint8_t { zero, one, layer_overhead, operations };

/// All products of a pass on the matrix unit, and what is elementwise on the vector unit at the same time, beside the
/// HBM that holds all data.
struct NpuRules : text::RunRules {
    NpuRules() {
        rules_.resize(Npu::elementwise_rules + elementwise_operators.size());
        for (auto& rule : rules_) rule.reads = one;
        rules_[Npu::products].unit = Npu::matrix;
        rules_[Npu::products].together = true;
        rules_[Npu::launches].wait = layer_overhead;
        for (auto& rule_of : rule_of_) {
            rule_of.fill(Npu::products);
            rule_of[static_cast<std::size_t>(text::Operator::overhead)] = Npu::launches;
        }
        for (std::size_t i = 0; i < elementwise_operators.size(); ++i) {
            auto& rule = rules_[Npu::elementwise_rules + i];
            rule.unit = Npu::vectors;
            rule.together = true;
            rule.beside = Npu::products;
            rule.work = operations + i;
            for (auto& rule_of : rule_of_)
                rule_of[static_cast<std::size_t>(elementwise_operators.at(i))] = Npu::elementwise_rules + i;
        }
        weights_ = cache_ = Npu::hbm;
    }
};

text::MemoryFigures hbm_of(Design const& d, MachineConstants const& machine) {
    text::MemoryFigures hbm;
    hbm.bandwidth = pin_bandwidth(d, machine).si;
    hbm.attained = pass_bandwidth(d, machine).si;
    hbm.energy[energy_row("dram_array")] = array_energy(1.0, machine.stack);
    hbm.energy[energy_row("dram_interface")] = interface_energy(1.0, machine.stack);
    hbm.write_energy = hbm.energy;
    hbm.add_up();
    return hbm;
}

text::UnitFigures matrix_of(Design const& d, MachineConstants const& machine) {
    constexpr double operations = 2.0;  // per multiply-add
    auto const unit = matrix_unit(d, machine);
    text::UnitFigures array;
    array.peak = operations * unit.rate;
    array.attained = array.peak * d.attained_share;
    array.energy[energy_row("arithmetic")] = unit.operation.si / operations;
    array.rows = static_cast<double>(d.matrix_depth);
    array.columns = array.tile = static_cast<double>(d.matrix_block);
    array.count = 1.0;
    array.packed = true;
    array.add_up();
    return array;
}

/// Its energy is its power at work times its seconds (ledger.cpp).
text::UnitFigures vectors_of(Design const& d, MachineConstants const& machine) {
    text::UnitFigures unit;
    unit.peak = unit.attained = static_cast<double>(d.vlen) * unit_clock(d, machine).si;
    return unit;
}

}  // namespace

MatrixUnit matrix_unit(Design const& d, MachineConstants const& machine) {
    auto const& c = machine.matrix;
    auto const units = static_cast<double>(d.matrix_depth) * static_cast<double>(d.matrix_block);
    return {units * unit_clock(d, machine).si, at_width(c.energy, d.weight_bits),
            at_width(c.area, d.weight_bits) * units};
}

sim::Bandwidth channel_bandwidth(Design const& d, MachineConstants const& machine) {
    return rate_of(d, machine, machine.hbm.timing.bus[static_cast<std::size_t>(d.bus)]);
}

sim::Bandwidth pin_bandwidth(Design const& d, MachineConstants const& machine) {
    return rate_of(d, machine, *std::ranges::min_element(machine.hbm.timing.bus));
}

double logit_bytes(Design const& d) { return d.overlap == Overlap::fused_head ? 0.0 : d.element_bytes(); }

Npu::Npu(Design const& d, MachineConstants const& machine)
    : request_(llm_request(d, machine.model)), logit_(logit_bytes(d)) {
    auto const& c = machine.model;
    double const exponential = static_cast<double>(d.vlen) / static_cast<double>(d.exp_lanes);
    figures_.numbers = {0.0,
                        1.0,
                        d.layer_overhead,
                        c.norm_operations,
                        c.softmax_operations - 1.0 + exponential,
                        c.rotation_operations,
                        c.activation_operations - 1.0 + exponential,
                        c.residual_operations};
    figures_.memories.push_back(hbm_of(d, machine));
    figures_.units = {matrix_of(d, machine), vectors_of(d, machine)};
}

text::CostLaw Npu::law() const {
    static NpuRules const rules;
    return {rules, figures_, Fidelity::analytic};
}

/// Every pass that verifies tokens samples a block; a draft model samples each of its proposals.
ModelPhase model_phase(Npu const& npu) {
    auto const& r = npu.request();
    auto const passes = passes_of(r);
    auto const cost = text::cost_of_request(npu.law(), r, npu.logit());
    auto const positions = static_cast<double>(r.block_length);
    ModelPhase phase;
    phase.full = cost.first;
    phase.cached = cost.round;
    phase.rest = cost.rest;
    auto const steps = r.diffuses() ? static_cast<double>(passes.round.size()) : 1.0;
    if (steps > 1.0) phase.cached = phase.cached.times(1.0 / steps);
    phase.full_passes = passes.repeats + 1.0;
    phase.cached_passes = passes.rounds * steps;
    phase.blocks = r.diffuses() ? phase.full_passes : passes.rounds + 1.0 / positions;
    phase.samplings = phase.blocks;
    if (r.speculation.has_model())
        phase.samplings += passes.rounds * static_cast<double>(r.speculation.draft) / positions;
    phase.per_generation = phase.full;
    phase.per_generation += phase.rest;
    return phase;
}

sim::Data resident_bytes(Design const& d, MachineConstants const& machine) {
    auto const request = llm_request(d, machine.model);
    double bytes = weight_footprint(request) + cache_footprint(request) + logit_footprint(request, logit_bytes(d));
    if (request.speculation.has_model()) {
        auto const draft = of_draft(request);
        bytes += weight_footprint(draft) + cache_footprint(draft);
    }
    return sim::Data{bytes};
}

sim::Data hbm_capacity(Design const& d, MachineConstants const& machine) {
    return machine.silicon.hbm_capacity_per_channel * static_cast<double>(d.channels);
}

}  // namespace pimdse::models::dplena
