#include "models/dplena/cycle_key.hpp"

#include "models/dplena/parameters.hpp"
#include "models/dplena/prepared.hpp"
#include "models/dplena/rules.hpp"

namespace pimdse::models::dplena {
namespace {

void add_work(CycleKeyMaker& key, Design const& d) {
    bool const chunks = d.mode == Mode::edge || d.overlap == Overlap::fused_head || d.passes == Passes::one;
    key.add(d.mode).add(d.vlen).add(d.batch).add(d.block_length).add(d.vocab).add(d.steps).add(d.prefetch);
    key.add(d.mode == Mode::performance ? d.preload : 0).add(chunks ? d.v_chunk : 0);
    key.add(d.passes).add(d.exp_lanes).add(d.accumulator);
}

void add_machine(CycleKeyMaker& key, Design const& d) {
    key.add(d.element).add(d.mx_block).add(d.addressing).add(d.channels).add(d.bus).add(d.refresh);
    key.add(d.overlap).add(d.buffers).add(d.outstanding).add(d.loop_hardware);
    key.add(d.matrix_depth).add(d.matrix_block).add(d.weight_bits);
}

void add_remasking(CycleKeyMaker& key, Design const& d) {
    key.add(d.remasking);
    key.add(d.remasking == Remasking::threshold ? d.confidence_threshold : 0.0);
    key.add(d.remasking == Remasking::factor ? d.confidence_factor : 0.0);
}

void add_generation(CycleKeyMaker& key, Design const& d) {
    key.add(d.scope);
    if (d.scope == Scope::sampling) return;
    key.add(d.model).add(d.generation).add(d.generation_length).add(d.prompt).add(d.model_bandwidth);
    key.add(d.generation == TokenOrder::diffusion ? d.cache : ModelCache::none);
}

}  // namespace

CycleKey cycle_key(Inputs const& inputs, Point point) {
    auto const& prepared = inputs.as<Prepared>();
    auto const design = read_design(point, prepared.vocabularies);
    CycleKeyMaker key;
    if (auto const rule = broken_rule(design, prepared)) return key.add(rule->rule).add(rule->reason).key();
    add_work(key, design);
    add_machine(key, design);
    add_remasking(key, design);
    add_generation(key, design);
    return key.key();
}

}  // namespace pimdse::models::dplena
