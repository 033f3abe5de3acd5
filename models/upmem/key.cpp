#include "models/upmem/key.hpp"

#include "models/upmem/planned.hpp"
#include "sim/base/counting.hpp"

namespace pimdse::models::upmem {
namespace {

bool moves_nothing(Kernel const& k) {
    bool const matrices = k.shape == WorkShape::rows || k.shape == WorkShape::layers || k.shape == WorkShape::tiles;
    bool const bytes = k.input_bytes > 0.0 || k.shared_bytes > 0.0 || k.shared_fixed > 0.0 || k.output_bytes > 0.0 ||
                       k.output_fixed > 0.0;
    return !matrices && !bytes && k.input_calls <= 1.0;
}

/// A problem is as large as the shares of its DPUs, unless its own size counts.
void forget_size(Design& d, Kernel const& k) {
    if (d.llm != 0) {
        d.elements = 1;
        return;
    }
    bool const by_size = k.shared_bytes > 0.0 || k.shape == WorkShape::search || k.shape == WorkShape::layers ||
                         k.shape == WorkShape::tiles || k.shape == WorkShape::profile;
    if (by_size || d.lock == Lock::rank_level) return;
    d.elements = sim::round_up(sim::divide_up(d.elements, d.dpus), granule(k, d)) * d.dpus;
}

void forget_request(Design& d) {
    if (d.is_request()) return;
    d.end_to_end = false;
    d.input = d.output = d.batch = 0;
}

/// A lock is met only where streams overlap; two banks are other hardware.
void forget_lock(Design& d, bool pipelined) {
    bool const overlaps = pipelined && (d.streams > 1 || (d.lock == Lock::rank_level && d.ranks > 1));
    if (!overlaps && d.lock != Lock::double_bank) d.lock = Lock::none;
}

void forget_transfers(Design& d, Kernel const& k) {
    if (k.input_arrays <= 1.0) d.packing = Packing::joint;
    if (d.llm == 0 && moves_nothing(k)) {
        d.packing = Packing::joint;
        d.transfer = Transfer::table1;
    }
}

CycleKey key_of(Design const& d) {
    CycleKeyMaker maker;
    maker.add(d.kernel).add(d.llm).add(d.end_to_end).add(d.input).add(d.output).add(d.batch);
    maker.add(d.elements).add(d.tasklets).add(d.dpus).add(d.ranks).add(d.streams).add(d.dma_block);
    maker.add(d.preset).add(d.transfer).add(d.packing).add(d.lock);
    maker.add(d.frequency.si).add(d.dispatch_distance).add(d.mram_bandwidth.si).add(d.offload.si);
    return maker.key();
}

}  // namespace

CycleKey cycle_key(Inputs const& inputs, Point point) {
    auto const& p = inputs.as<Prepared>();
    auto const made = planned(p, point);
    if (std::holds_alternative<Infeasible>(made)) return {};
    auto const& [design, parts] = std::get<Planned>(made);
    Design d = design;
    auto const& k = p.kernels[d.kernel];
    forget_request(d);
    forget_lock(d, parts.front().plan.pipelined);
    forget_size(d, k);
    forget_transfers(d, k);
    if (d.llm == 0 && k.shape == WorkShape::even) d.dma_block = 0;
    return key_of(d);
}

std::vector<MonotoneLow> monotone_lows() {
    using enum Slope;
    std::vector<MonotoneLow> lows;
    for (std::string_view const metric : {"kernel_cycles", "kernel_time", "total_time", "latency"})
        lows.push_back({"mram_bandwidth", metric, down});
    for (std::string_view const metric : {"total_time", "latency", "energy"}) lows.push_back({"offload", metric, up});
    for (std::string_view const metric : {"kernel_cycles", "kernel_time"}) lows.push_back({"offload", metric, flat});
    lows.push_back({"frequency", "kernel_cycles", up});
    lows.push_back({"mram_bandwidth", "area", up});
    lows.push_back({"dispatch_distance", "area", down});
    for (std::string_view const metric : {"area", "memory_area", "idle_power"}) lows.push_back({"ranks", metric, up});
    for (std::string_view const parameter : {"elements", "tasklets", "dpus", "streams", "dma_block", "offload"}) {
        lows.push_back({parameter, "area", flat});
        lows.push_back({parameter, "memory_area", flat});
    }
    return lows;
}

}  // namespace pimdse::models::upmem
