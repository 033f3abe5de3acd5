#include "models/cim_mesh/search_help.hpp"

#include "models/cim_mesh/layer/kv_cache.hpp"
#include "models/cim_mesh/machines.hpp"
#include "models/cim_mesh/placement/placement.hpp"
#include "models/cim_mesh/prepared.hpp"

#include <algorithm>

namespace pimdse::models::cim_mesh {
namespace {

void add_request(CycleKeyMaker& key, Design const& d) {
    key.add(std::string_view(d.model->name)).add(d.input).add(d.output).add(d.batch).add(d.lm_head).add(d.diffuses());
    if (d.diffuses()) key.add(d.steps).add(d.block_length).add(d.step_cache);
    // Without a head, passes of a diffusion model wait for no product.
    if (!d.diffuses() || d.lm_head == HeadTiming::counted) key.add(d.smac_cycles);
}

void add_adapters(CycleKeyMaker& key, Design const& d, Partition const& p) {
    key.add(d.lora_targets.empty());
    if (d.lora_targets.empty()) return;
    key.add(d.lora_rank);
    for (auto const& matrix : p.matrices)
        key.add(std::find(d.lora_targets.begin(), d.lora_targets.end(), matrix.name) != d.lora_targets.end());
}

/// Columns that are summed together under the serial schedule; more than a matrix has make no difference.
std::int64_t columns_together(Design const& d, Partition const& p) {
    if (d.schedule == Schedule::tree) return 1;
    std::int64_t most = std::max<std::int64_t>(1, p.head.cols);
    for (auto const& matrix : p.matrices) most = std::max(most, matrix.summed);
    return std::min(most, d.parallel_columns);
}

void add_machine(CycleKeyMaker& key, MachineConstants const& machine, Design const& d, Partition const& p) {
    KvCache const cache(machine, d, p);
    std::int64_t const beside = cache.slots_per_router() - cache.filled(0, d.longest_context());
    key.add(d.machine).add(d.mode).add(d.schedule).add(d.mesh_rows).add(d.mesh_cols).add(d.crossbar).add(d.link_bits);
    key.add(d.fifo_bytes).add(d.dmacs).add(d.scratchpad).add(d.frequency).add(columns_together(d, p));
    key.add(d.kv_pool).add(d.gating).add(std::clamp<std::int64_t>(beside, 1, d.context_tile));
}

void add_placement(CycleKeyMaker& key, Design const& d, Partition const& p) {
    key.add(d.placement);
    if (d.placement != PlacementChoice::genes) return;
    auto const genes = chosen_genes(d, p);
    for (auto const which : genes.order) key.add(which);
    for (auto const direction : genes.directions) key.add(direction);
    key.add(genes.interleave).add(genes.heights.size());
    for (auto const height : genes.heights) key.add(height);
    if (genes.heights.empty()) key.add(genes.band_height > 0 ? std::min(genes.band_height, d.mesh_rows) : d.mesh_rows);
}

}  // namespace

CycleKey cycle_key(Inputs const& inputs, Point point) {
    auto const& prepared = inputs.as<Prepared>();
    auto const design = on_its_machine(prepared.machine, read_design(prepared.bindings, point));
    auto const parts = partition(design, prepared.machine.value_bits);
    CycleKeyMaker key;
    add_request(key, design);
    add_adapters(key, design, parts);
    add_machine(key, prepared.machine, design, parts);
    add_placement(key, design, parts);
    return key.key();
}

std::vector<MonotoneLow> monotone_lows() {
    using enum Slope;
    std::vector<MonotoneLow> lows;
    auto const all = [&](std::string_view parameter, Slope slope, auto... metrics) {
        (lows.push_back({parameter, metrics, slope}), ...);
    };
    for (auto const* faster : {"frequency", "dmacs"})
        all(faster, down, "ttft", "itl", "latency", "last_ttft", "ideal_ttft", "ideal_itl");
    for (auto const* more_room : {"fifo_bytes", "scratchpad", "context_tile"})
        all(more_room, down, "ttft", "itl", "latency", "last_ttft");
    for (auto const* more_work : {"batch", "lora_rank", "smac_cycles"})
        all(more_work, up, "ttft", "itl", "latency", "last_ttft", "energy");
    for (auto const* hardware : {"dmacs", "fifo_bytes", "scratchpad"}) all(hardware, up, "area", "idle_power");
    all("context_tile", down, "energy", "energy_per_token");
    for (auto const* faster : {"frequency", "dmacs", "fifo_bytes", "scratchpad", "context_tile"})
        all(faster, up, "tokens_per_second", "throughput_with_prompt");
    for (auto const* more_work : {"lora_rank", "smac_cycles"})
        all(more_work, down, "tokens_per_second", "throughput_with_prompt");
    for (auto const* free : {"frequency", "context_tile", "batch", "lora_rank", "smac_cycles"}) all(free, flat, "area");
    return lows;
}

}  // namespace pimdse::models::cim_mesh
