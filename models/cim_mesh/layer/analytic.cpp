#include "models/cim_mesh/layer/analytic.hpp"

#include "models/cim_mesh/layer/layer_time.hpp"
#include "sim/base/counting.hpp"
#include "sim/noc/closed_form.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::cim_mesh {

Services::Services(MachineConstants const& machine, Design const& design, Partition const& partition)
    : machine_(machine), design_(design), partition_(partition) {}

double Services::transfer_of(std::int64_t pieces) const {
    double const bits = static_cast<double>(design_.crossbar) * machine_.value_bits;
    double const flits = std::ceil(bits / static_cast<double>(design_.link_bits * pieces));
    return flits * std::max(1.0, machine_.credit_round_trip / static_cast<double>(design_.fifo_flits()));
}

double Services::arithmetic() const { return static_cast<double>(sim::divide_up(design_.crossbar, design_.dmacs)); }

double Services::hop() const { return std::max(vector_transfer(), arithmetic()) + machine_.hop_service; }

double Services::queries_per_key() const {
    if (design_.key_reuse == KeyReuse::head) return 1.0;
    return std::max(1.0, static_cast<double>(partition_.q) / static_cast<double>(partition_.kv));
}

double Services::key_step() const {
    double const streamed = (vector_transfer() + machine_.hop_service) / queries_per_key();
    return std::max(streamed, 2.0 * arithmetic());
}

double Services::adapters_per_token() const {
    if (partition_.adapted == 0) return 0.0;
    double const per_slice = machine_.lora_fixed + machine_.lora_per_rank * static_cast<double>(design_.lora_rank);
    return per_slice * static_cast<double>(partition_.n * partition_.adapted);
}

ClosedForm::ClosedForm(MachineConstants const& machine, Design const& design, Partition const& partition,
                       MeshCounts const& counts)
    : Services(machine, design, partition),
      counts_(counts),
      held_(KvCache(machine, design, partition), design.context_tile) {}

double ClosedForm::way(double hops) const {
    return hops * static_cast<double>(sim::noc::closed_form::per_hop(router_timing(machine_, design_)));
}

double ClosedForm::scattered_hop() const {
    std::int64_t const piece = sim::divide_up(design_.crossbar, partition_.n);
    auto const additions = static_cast<double>(sim::divide_up(piece, design_.dmacs));
    return std::max(transfer_of(partition_.n), additions) + machine_.hop_service;
}

double ClosedForm::fill() const {
    auto const fixed = static_cast<double>(sim::noc::closed_form::fixed(router_timing(machine_, design_)));
    return way(counts_.fill) + counts_.fill_legs * (fixed + vector_transfer() - 1.0);
}

double ClosedForm::key_distance(double context) const {
    auto const most = static_cast<double>(counts_.most_holders);
    double const holders = std::min(most, std::ceil(2.0 * static_cast<double>(partition_.kv) * context));
    return machine_.distance_service * counts_.key_way(sim::whole_part(holders)) / queries_per_key();
}

double ClosedForm::prompt_hops() const { return machine_.prefill_vectors * counts_.busiest_router; }

DecodeTime ClosedForm::decode(double context) const {
    DecodeTime t;
    auto const scattered = static_cast<double>(design_.machine == Machine::leap_d ? partition_.token_qkv_adds : 0);
    t.partial_sums = hop() * (static_cast<double>(partition_.token_adds) - scattered) + scattered_hop() * scattered +
                     way(counts_.chain_borders);
    t.ways = fill() + way(counts_.walk_back) / static_cast<double>(design_.model->layers);
    t.key_stream = key_step() * context;
    t.key_distance = key_distance(context) * context;
    t.softmax = machine_.score_service * static_cast<double>(partition_.heads_per_slice) * context;
    t.adapters = adapters_per_token();
    t.crossbars = machine_.smac_per_layer * static_cast<double>(design_.smac_cycles);
    return t;
}

PromptUnits ClosedForm::units(double vectors) const {
    auto const holders = static_cast<double>(std::max<std::int64_t>(1, counts_.most_holders));
    auto const flits = static_cast<std::int32_t>(vector_flits(machine_, design_));
    auto const at_first = decode(0.0);
    PromptUnits u;
    u.vectors = vectors;
    u.adapters = adapters_per_token();
    u.crossbar = static_cast<double>(design_.smac_cycles);
    u.softmax = machine_.score_service * static_cast<double>(partition_.heads_per_slice);
    u.stream = key_step() + machine_.distance_service * counts_.key_way(counts_.most_holders) / queries_per_key();
    u.products = 2.0 * static_cast<double>(partition_.q) * arithmetic() / holders;
    u.attained = design_.attained_share;
    u.alone = std::max(at_first.total(), saturated_cycles(counts_.prompt_link, flits) / machine_.open_loop_share);
    u.alone_per_key = key_step() + u.softmax;
    return u;
}

PrefillTime ClosedForm::prefill(std::int64_t tokens) const {
    return {decode(static_cast<double>(tokens)).total(), following(units(prompt_hops() * hop()), held_, tokens - 1)};
}

PrefillTime ClosedForm::pass(double queries, std::int64_t keys) const {
    return {decode(static_cast<double>(keys)).total(),
            following(units(prompt_hops() * hop()), held_, queries - 1.0, keys)};
}

}  // namespace pimdse::models::cim_mesh
