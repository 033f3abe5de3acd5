#include "models/cim_mesh/request.hpp"

#include "models/contract/common_metrics.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::cim_mesh {

double reprogram_time(MachineConstants const& machine, Design const& design, Partition const& partition) {
    double const bits = MachineConstants::bits_per_byte * partition.lora_bytes;
    double const cycles = std::ceil(bits / static_cast<double>(design.link_bits)) + machine.reprogram_row_write;
    return partition.adapted == 0 ? 0.0 : cycles / design.frequency;
}

namespace {

/// Later passes: a round is as long as a request's way through all layers and the head, or as the busiest of them if
/// there are more requests than that has room for.
void add_rounds(RequestTime& t, Design const& d, sim::Bounded const& layer, sim::Bounded const& way) {
    double const passes = d.later_passes();
    t.round = larger(way, d.sequences() * larger(layer, t.head));
    t.waiting = t.round.value - way.value;
    t.passes = passes;
    t.rounds = passes * t.round;
    t.latency = t.ttft + t.rounds;
    if (d.output == 1)
        t.itl = does_not_apply();
    else if (!d.diffuses())
        t.itl = t.round;
    else
        t.itl = passes * t.round / static_cast<double>(d.output - 1);
}

}  // namespace

RequestTime compose(MachineConstants const& machine, Design const& d, Partition const& partition,
                    PassCycles const& pass) {
    auto const layers = static_cast<double>(d.model->layers);
    double const first = reprogram_time(machine, d, partition);
    // The longer a layer's prompt takes, the more of the next one's reprogramming hides under it.
    auto const later = [&](double prompt) { return (layers - 1.0) * std::max(0.0, first - prompt / d.frequency); };
    RequestTime t;
    t.reprogram_first = first;
    t.reprogram_later = {later(pass.first.value), later(pass.first.high), later(pass.first.low),
                         pass.first.kinds.swapped()};
    t.head = pass.head / d.frequency;
    t.prefill = layers * pass.first / d.frequency;
    t.first_ttft =
        growing([&](double prompt, double all) { return first + later(prompt) + all + t.head; }, pass.first, t.prefill);
    t.behind = (d.sequences() - 1.0) * larger(pass.first / d.frequency, t.head);
    t.ttft = t.first_ttft + t.behind;
    add_rounds(t, d, pass.later / d.frequency, layers * pass.later / d.frequency + t.head);
    t.prompts_at_work = d.sequences() * t.prefill;
    t.later_at_work = d.sequences() * d.later_passes() * layers * pass.later / d.frequency;
    return t;
}

}  // namespace pimdse::models::cim_mesh
