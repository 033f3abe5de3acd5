#include "models/cim_mesh/layer/analytic.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::cim_mesh {

ClosedForm::ClosedForm(MachineConstants const& machine, Design const& design, Partition const& partition)
    : machine_(machine), design_(design), partition_(partition) {}

double ClosedForm::vector_transfer() const {
    double const flits =
        std::ceil(static_cast<double>(design_.crossbar) * machine_.value_bits / static_cast<double>(design_.link_bits));
    return flits * std::max(1.0, machine_.credit_round_trip / static_cast<double>(design_.fifo_flits()));
}

double ClosedForm::key_step() const {
    return std::max(hop(), 2.0 * static_cast<double>(sim::divide_up(design_.crossbar, design_.dmacs)));
}

double ClosedForm::adapters_per_token() const {
    if (partition_.adapted == 0) return 0.0;
    double const per_slice = machine_.lora_fixed + machine_.lora_per_rank * static_cast<double>(design_.lora_rank);
    return per_slice * static_cast<double>(partition_.n * partition_.adapted);
}

double ClosedForm::pair_cost() const {
    double const softmax = machine_.score_service * static_cast<double>(partition_.heads_per_slice);
    if (design_.mode == Mode::primal) return softmax;
    double const stream = hop() + machine_.distance_service * static_cast<double>(partition_.n);
    return std::max(softmax, stream / static_cast<double>(design_.context_tile));
}

DecodeTime ClosedForm::decode(double context) const {
    DecodeTime t;
    t.partial_sums = hop() * static_cast<double>(partition_.token_adds);
    t.key_stream = key_step() * context;
    t.key_distance = machine_.distance_service * static_cast<double>(partition_.n) * context;
    t.softmax = machine_.score_service * static_cast<double>(partition_.heads_per_slice) * context;
    t.adapters = adapters_per_token();
    t.crossbars = machine_.smac_per_layer * static_cast<double>(design_.smac_cycles);
    return t;
}

PrefillTime ClosedForm::prefill(double tokens) const {
    PrefillTime t;
    t.vectors = tokens * machine_.prefill_vectors * hop() * static_cast<double>(partition_.n + partition_.f);
    t.adapters = tokens * adapters_per_token();
    t.attention = pair_cost() * tokens * tokens;
    return t;
}

}  // namespace pimdse::models::cim_mesh
