#include "models/dplena/metrics.hpp"

#include "models/contract/common_metrics.hpp"
#include "models/dplena/analytic.hpp"
#include "models/dplena/cycle.hpp"
#include "models/dplena/hbm/clocks.hpp"
#include "models/dplena/ledger.hpp"

#include <limits>
#include <type_traits>
#include <utility>

namespace pimdse::models::dplena {
namespace {

/// Marks a metric that exists in scope end_to_end only.
Metric of_requests(Metric metric) { return needing(std::move(metric), {needs("scope", "end_to_end")}); }

/// A member of the silicon, or of the counts of cycles.
template <auto member>
Estimate of(Sampled const& r) {
    if constexpr (std::is_invocable_v<decltype(member), Silicon const&>)
        return (r.silicon.*member).si;
    else
        return static_cast<double>(r.sampling.counts.*member);
}

/// Sampling time of one block [s].
Estimate sampling_time(Sampled const& r) { return r.sampling.total * (1.0 / unit_clock(r.design, r.machine).si); }

/// part / (part + rest), which increases with part. Does not apply without a rest, which is exact or unbounded.
Estimate share(Estimate const& part, Estimate const& rest) {
    if (rest.value == 0.0) return does_not_apply();
    auto const share_of = [&](double x) { return x / (x + rest.value); };
    return {share_of(part.value), share_of(part.lower), share_of(part.upper), part.kinds.weaker(rest.kinds)};
}

using Table = MetricTable<Sampled>;
void add_sampling(Table& table) {
    table.row({"cycles_vector", "cycles", "cycles of vector instructions"}, of<&Counts::vector>);
    table.row({"cycles_scalar", "cycles",
               "cycles of scalar instructions, without the second half of S_MAP_V_FP, which the authors do not count"},
              of<&Counts::scalar>);
    table.row({"cycles_control", "cycles", "cycles of address, scale and stride settings"}, of<&Counts::control>);
    table.row({"cycles_memory", "cycles", "cycles with a prefetch in flight"},
              [](Sampled const& r) { return r.sampling.memory; });
    table.row(
        {"cycles_total", "cycles",
         "cycles of the sampling; with overlap none the sum of the four, of batch x steps x block_length copy cycles "
         "and of those in which instructions wait for results; then of the FIFO to the host"},
        [](Sampled const& r) { return r.sampling.total + (r.fifo.entering + r.fifo.leaving); });
    table.row({"hbm_bandwidth", "B/s", "bytes of all 64-byte lines read while sampling, over its cycles", maximize},
              [](Sampled const& r) { return bytes_sampled(r.sampling, r.design) / sampling_time(r); });
    table.row({"vector_sram", "B",
               "vector memory as the paper counts it: three vectors of block_length per sequence and the logits; a "
               "scratch vector"},
              of<&Silicon::vector_sram>);
    table.row({"fp_sram", "B", "memory of confidences"}, of<&Silicon::fp_sram>);
    table.row({"int_sram", "B", "memory of token ids"}, of<&Silicon::int_sram>);
    table.row({"vector_sram_allocated", "B", "vector memory with areas as wide as VLEN and space for every buffer"},
              of<&Silicon::vector_sram_allocated>);
    table.row({"sram_area", "m2", "macros of the three memories as allocated (vector areas are as wide as VLEN)",
               minimize, true},
              of<&Silicon::sram_area>);
}

void add_silicon(Table& table) {
    table.row(
        {"vector_area", "m2", "vector datapath and scalar unit as published, with an exponential unit in every lane"},
        [](Sampled const& r) { return Estimate::exact((r.silicon.vector_area + r.silicon.scalar_area).si); });
    table.row({"vector_power", "W", "vector datapath while it runs, as published"}, of<&Silicon::vector_power>);
    table.row({"vector_energy", "J", "vector_power times the sampling time, as in the paper's figures"},
              [](Sampled const& r) {
                  bool const here = r.design.sampler == Sampler::npu;
                  return here ? sampling_time(r) * r.silicon.vector_power.si : Estimate::exact(0.0);
              });
    table.row(
        {"hbm_energy", "J", "energy of HBM array and pins for the lines that the sampling of a block reads", minimize,
         true},
        [](Sampled const& r) {
            double const bytes = bytes_sampled(r.sampling, r.design);
            return Estimate::exact(array_energy(bytes, r.machine.stack) + interface_energy(bytes, r.machine.stack));
        });
    table.row(
        {"sram_energy", "J", "energy of the accesses to the vector memory in the sampling of a block", minimize, true},
        [](Sampled const& r) { return Estimate::exact(vector_memory_energy(r.design, r.machine.silicon).si); });
    table.row({"argmax_agreement", "1", "share of synthetic rows whose token equals that of FP64, with the same noise",
               maximize, true},
              [](Sampled const& r) { return r.accuracy.argmax_agreement; });
    table.row({"transfer_overlap", "1", "Jaccard index of the committed positions of synthetic blocks against FP64",
               maximize, true},
              [](Sampled const& r) { return r.accuracy.transfer_overlap; });
}

void add_generation(Table& table) {
    table.row(of_requests({"model_time", "s", "one cached model step (scope end_to_end)", minimize, true}),
              [](Sampled const& r) { return r.model.value > 0.0 ? r.pass : does_not_apply(); });
    table.row(
        of_requests({"sampling_share", "1",
                     "share of sampling in the time of one step: sampling and model_time (scope end_to_end)", minimize,
                     true}),
        [](Sampled const& r) { return share(sampling_time(r) * (1.0 / static_cast<double>(r.design.steps)), r.pass); });
    table.row(
        of_requests({"end_to_end_share", "1",
                     "share of sampling in the latency of the whole generation (scope end_to_end)", minimize, true}),
        [](Sampled const& r) { return share(r.all_samplings, r.model); });
}

/// The table of metrics in the order in which they are printed.
Table const& table() {
    static auto const made = table_of<Table, add_sampling, add_silicon, add_generation>();
    return made;
}

}  // namespace

AccuracyBounds accuracy_of(Design const& design, Prepared const& prepared, Fidelity fidelity) {
    if (fidelity != Fidelity::cycle) return prepared.accuracy->bounds_of(design, prepared.machine.proxy);
    auto const exact = prepared.accuracy->of(design, prepared.machine.proxy);
    return {exact.argmax_agreement, exact.transfer_overlap};
}

MetricList sampler_metrics() { return table().metrics(); }

std::vector<MetricNote> metric_notes() {
    return {{"latency", "of a sampling alone, cycles_total at the clock of the units"},
            {"ttft", "", true},
            {"itl", "", true},
            {"tokens_per_second", "", true},
            {"throughput_with_prompt", "", true},
            {"area", "all dies but those of memories", true},
            {"silicon", "", true},
            {"footprint",
             "weights, keys and values up to the last token, and the logits of a block; of a sampling alone, its "
             "logits and scales"}};
}

Metrics sampler_metrics_of(Sampled const& request) { return table().of(request); }

SamplingCost sampling_of(Program const& program, MachineConstants const& machine, Fidelity fidelity) {
    auto const& d = program.design();
    if (d.sampler == Sampler::host)
        return fidelity == Fidelity::cycle ? host_timeline(d, machine) : host_sampling(d, machine);
    return fidelity == Fidelity::cycle ? cycle_sampling(program, machine.hbm) : analytic_sampling(program, machine);
}

}  // namespace pimdse::models::dplena
