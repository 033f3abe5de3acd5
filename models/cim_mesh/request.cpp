#include "models/cim_mesh/request.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::cim_mesh {

double reprogram_time(MachineConstants const& machine, Design const& design, Partition const& partition) {
    double const bits = MachineConstants::bits_per_byte * partition.lora_bytes;
    double const cycles = std::ceil(bits / static_cast<double>(design.link_bits)) + machine.reprogram_row_write;
    return partition.adapted == 0 ? 0.0 : cycles / design.frequency;
}

RequestTime compose(MachineConstants const& machine, Design const& design, Partition const& partition,
                    sim::Bounded const& prefill, sim::Bounded const& decode) {
    auto const layers = static_cast<double>(design.model->layers);
    double const first = reprogram_time(machine, design, partition);
    // The longer a layer's prompt takes, the more of the next one's reprogramming hides under it.
    auto const later = [&](double prompt) { return (layers - 1.0) * std::max(0.0, first - prompt / design.frequency); };
    RequestTime t;
    t.reprogram_first = first;
    t.reprogram_later = {later(prefill.value), later(prefill.high), later(prefill.low), prefill.kinds.swapped()};
    t.prefill = layers * prefill / design.frequency;
    t.ttft = growing([&](double prompt, double all) { return first + later(prompt) + all; }, prefill, t.prefill);
    t.itl = layers * decode / design.frequency;
    auto const tokens_after =
        static_cast<double>(design.model->attention == sim::Attention::causal ? design.output : design.output - 1);
    t.latency = t.ttft + tokens_after * t.itl;
    t.at_work = growing([&](double all, double prompt) { return all - first - later(prompt); }, t.latency, prefill);
    t.tokens_per_second = static_cast<double>(design.input + design.output) / t.latency;
    return t;
}

}  // namespace pimdse::models::cim_mesh
