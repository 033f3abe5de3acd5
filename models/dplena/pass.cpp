#include "models/dplena/pass.hpp"

#include "models/dplena/hbm/clocks.hpp"
#include "models/llm/state.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::dplena {
namespace {

double ceiling(double a, double b) { return std::ceil(a / b); }

/// Cycles of a rows x depth x columns product on the matrix unit: a tile of BLEN x BLEN takes BLEN cycles per MLEN of
/// depth.
double gemm_cycles(Design const& d, double rows, double depth, double columns) {
    auto const block = static_cast<double>(d.matrix_block);
    return ceiling(rows, block) * ceiling(depth, static_cast<double>(d.matrix_depth)) * ceiling(columns, block) * block;
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

}  // namespace

PassLaw::PassLaw(Design const& d, MachineConstants const& machine, LanguageModel const& model)
    : design_(d),
      model_(&model),
      bytes_of_weight_(weight_bytes(d, machine.model)),
      cache_element_(machine.model.kv_element),
      clock_(unit_clock(d, machine)),
      bandwidth_(pass_bandwidth(d, machine)) {
    for (auto const& kind : kinds()) matrices_.push_back(layer_matrices(kind));
}

LayerWork PassLaw::layer(std::size_t kind, double tokens) const {
    LayerWork layer;
    auto const& m = kinds()[kind];
    for (auto const& matrix : matrices_[kind]) {
        auto const size = static_cast<double>(matrix.inputs) * static_cast<double>(matrix.outputs);
        auto const copies = touched_copies(m, matrix, tokens);
        auto const products = tokens * static_cast<double>(matrix.active);
        auto const rows = std::max(1.0, std::round(products / copies));  // per expert, on average
        layer.weights += size * copies;
        layer.multiplications += products * size;
        layer.cycles += copies * gemm_cycles(design_, rows, static_cast<double>(matrix.inputs),
                                             static_cast<double>(matrix.outputs));
    }
    return layer;
}

std::vector<LayerWork> PassLaw::layers(double tokens) const {
    std::vector<LayerWork> all;
    for (std::size_t kind = 0; kind < matrices_.size(); ++kind) all.push_back(layer(kind, tokens));
    return all;
}

double products_of(LanguageModel const& kind, SummedKeys const& sums) {
    return index_multiplications(kind, sums.indexed, 1.0) + sums.state_products + sums.products;
}

/// Rows of a tile are queries of one sequence; those of a state, positions of a chunk, or a token.
void PassLaw::add(double sequences, PassShape const& s, LanguageModel const& kind, Attended& to) const {
    auto const sums = summed(kind, s, sequences);
    auto const block = static_cast<double>(design_.matrix_block);
    double const blocks = sequences * ceiling(s.queries, block);
    to.sums += sums;
    if (kind.indexer.positions > 0)
        to.tiles += index_multiplications(kind, blocks, (s.contexts.first + s.contexts.last) / 2.0);
    if (has_state(kind)) {
        double const rows = s.decodes ? 1.0 : static_cast<double>(kind.state.chunk);
        to.tiles += sums.state_products / rows * ceiling(rows, block);
    }
    if (!kind.attends) return;
    auto const [keys, read] = keys_read(kind, s);
    to.tiles += attention_multiplications(kind, blocks, keys, sequences * ceiling(read - s.queries, block));
}

ModelPass PassLaw::of(std::span<LayerWork const> layers, std::span<Attended const> attended, double heads,
                      double logits) const {
    auto const all = kinds();
    double cycles = 0.0, multiplications = 0.0, weights = 0.0, cached = 0.0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const count = static_cast<double>(all[i].layers);
        cycles += count * (layers[i].cycles + attended[i].tiles / static_cast<double>(design_.matrix_depth));
        auto const& sums = attended[i].sums;
        double const index = sums.index_read * static_cast<double>(all[i].indexer.dimension) * cache_element_.si;
        double const states = (sums.states_read + sums.states_written) * state_bytes(all[i]);
        multiplications += count * (layers[i].multiplications + products_of(all[i], sums));
        weights += count * layers[i].weights;
        cached += sums.read * static_cast<double>(attention_elements(all[i])) * count * cache_element_.si +
                  count * (index + states);
    }
    auto const head = heads > 0.0 ? static_cast<double>(lm_head_weights(*model_)) : 0.0;
    ModelPass pass;
    pass.cycles = cycles + gemm_cycles(design_, heads, static_cast<double>(model_->hidden),
                                       static_cast<double>(model_->vocabulary));
    pass.multiplications = multiplications + heads * head;
    pass.bytes = sim::Data{(weights + head) * bytes_of_weight_ + cached + logits};
    pass.compute = sim::cycles_at(pass.cycles / design_.attained_share, clock_);
    pass.transfer = pass.bytes / bandwidth_;
    pass.launches = sim::Time{design_.layer_overhead * static_cast<double>(model_->layers)};
    pass.time = std::max(pass.compute, pass.transfer) + pass.launches;
    return pass;
}

double weight_bytes(Design const& d, ModelConstants const& c) {
    constexpr int bits_per_byte = 8;
    return static_cast<double>(d.weight_bits) / bits_per_byte + c.weight_scale;
}

double cache_bytes(LanguageModel const& kind, ModelConstants const& c, double positions) {
    return positions * static_cast<double>(kv_elements_per_token(kind)) * static_cast<double>(kind.layers) *
           c.kv_element.si;
}

double logit_bytes(Design const& d, LanguageModel const& m, std::int64_t positions) {
    if (d.overlap == Overlap::fused_head) return 0.0;
    return static_cast<double>(positions) * static_cast<double>(m.vocabulary) * d.element_bytes();
}

sim::Bandwidth channel_bandwidth(Design const& d, MachineConstants const& machine) {
    return rate_of(d, machine, machine.hbm.timing.bus[static_cast<std::size_t>(d.bus)]);
}

sim::Bandwidth pin_bandwidth(Design const& d, MachineConstants const& machine) {
    return rate_of(d, machine, *std::ranges::min_element(machine.hbm.timing.bus));
}

ModelPass& ModelPass::operator+=(ModelPass const& o) {
    time += o.time;
    multiplications += o.multiplications;
    cycles += o.cycles;
    bytes += o.bytes;
    compute += o.compute;
    transfer += o.transfer;
    launches += o.launches;
    return *this;
}

ModelPass ModelPass::times(double n) const {
    return {time * n, multiplications * n, cycles * n, bytes * n, compute * n, transfer * n, launches * n};
}

}  // namespace pimdse::models::dplena
