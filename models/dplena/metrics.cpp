#include "models/dplena/metrics.hpp"

#include "models/contract/metric_table.hpp"

#include <limits>

namespace pimdse::models::dplena {
namespace {

/// What was found of a design.
struct Sampled {
    Answer const& answer;
    Design const& design;
    MachineConstants const& machine;
    [[nodiscard]] auto const& counts() const { return answer.sampling.counts; }
    [[nodiscard]] auto const& silicon() const { return answer.silicon; }
};

Estimate does_not_apply() { return Estimate::unbounded(std::numeric_limits<double>::quiet_NaN()); }

Estimate exact(std::int64_t count) { return Estimate::exact(static_cast<double>(count)); }

double bytes_read(Sampled const& r) {
    return static_cast<double>(line_bytes) * static_cast<double>(r.answer.sampling.prefetches) *
           static_cast<double>(r.design.lines_per_prefetch());
}

Estimate sampling_time(Sampled const& r) { return r.answer.sampling.total * (1.0 / r.machine.silicon.frequency.si); }

Estimate latency(Sampled const& r) {
    auto const sampling = sampling_time(r);
    return r.answer.model ? sampling * r.answer.model->blocks + r.answer.model->per_generation.si : sampling;
}

/// part / (part + rest), rising in part.
Estimate share(Estimate const& part, double rest) {
    auto const of = [rest](double x) { return x / (x + rest); };
    return {of(part.value), of(part.low), of(part.high), part.kinds};
}

using Table = MetricTable<Sampled>;
using enum Sense;

void add_cycles(Table& table) {
    table.row({"cycles_vector", "cycles", "cycles of vector instructions", minimize},
              [](Sampled const& r) { return exact(r.counts().vector); });
    table.row({"cycles_scalar", "cycles",
               "cycles of scalar instructions, without the second half of S_MAP_V_FP, which its authors do not count",
               minimize},
              [](Sampled const& r) { return exact(r.counts().scalar); });
    table.row({"cycles_control", "cycles", "cycles of address, scale and stride settings", minimize},
              [](Sampled const& r) { return exact(r.counts().control); });
    table.row({"cycles_memory", "cycles", "cycles in which a prefetch is under way", minimize},
              [](Sampled const& r) { return r.answer.sampling.memory; });
    table.row(
        {"cycles_total", "cycles",
         "cycles of the sampling; with overlap none the sum of the four and batch x steps x block_length copy cycles",
         minimize},
        [](Sampled const& r) { return r.answer.sampling.total; });
}

void add_times(Table& table) {
    table.row({"latency", "s", "scope sampling: cycles_total at 1 GHz; end_to_end: the whole generation", minimize},
              [](Sampled const& r) { return latency(r); });
    table.row({"hbm_bandwidth", "B/s", "bytes of all 64-byte lines read while sampling, over cycles_total", maximize},
              [](Sampled const& r) { return bytes_read(r) / sampling_time(r); });
}

void add_silicon(Table& table) {
    table.row(
        {"vector_sram", "B",
         "vector memory as the paper counts it: three vectors of block_length per sequence and the logits", minimize},
        [](Sampled const& r) { return Estimate::exact(r.silicon().vector_sram.si); });
    table.row({"fp_sram", "B", "memory of confidences", minimize},
              [](Sampled const& r) { return Estimate::exact(r.silicon().fp_sram.si); });
    table.row({"int_sram", "B", "memory of token ids", minimize},
              [](Sampled const& r) { return Estimate::exact(r.silicon().int_sram.si); });
    table.row({"area", "m2", "vector datapath and scalar unit, without SRAM", minimize},
              [](Sampled const& r) { return Estimate::exact((r.silicon().vector_area + r.silicon().scalar_area).si); });
    table.row(
        {"sram_area", "m2", "macros of the three memories as allocated (vector areas are VLEN wide)", minimize, true},
        [](Sampled const& r) { return Estimate::exact(r.silicon().sram_area.si); });
    table.row({"power", "W", "vector datapath while it runs (published)", minimize},
              [](Sampled const& r) { return Estimate::exact(r.silicon().power.si); });
}

void add_energy_and_accuracy(Table& table) {
    table.row({"energy", "J", "power x latency: the vector datapath alone", minimize},
              [](Sampled const& r) { return latency(r) * r.silicon().power.si; });
    table.row({"argmax_agreement", "1", "share of synthetic rows whose arg-max equals that of FP64", maximize, true},
              [](Sampled const& r) { return Estimate::exact(r.answer.accuracy.argmax_agreement); });
    table.row({"transfer_overlap", "1", "Jaccard index of the transferred positions of synthetic blocks against FP64",
               maximize, true},
              [](Sampled const& r) { return Estimate::exact(r.answer.accuracy.transfer_overlap); });
}

void add_generation(Table& table) {
    table.row({"model_time", "s", "one cached model step (scope end_to_end)", minimize, true}, [](Sampled const& r) {
        return r.answer.model ? Estimate::exact(r.answer.model->cached.si) : does_not_apply();
    });
    table.row(
        {"sampling_share", "1", "sampling of one step over that and model_time (scope end_to_end)", minimize, true},
        [](Sampled const& r) {
            return r.answer.model ? share(sampling_time(r) * (1.0 / static_cast<double>(r.design.steps)),
                                          r.answer.model->cached.si)
                                  : does_not_apply();
        });
    table.row(
        {"end_to_end_share", "1", "sampling over the whole generation's latency (scope end_to_end)", minimize, true},
        [](Sampled const& r) {
            return r.answer.model ? share(sampling_time(r) * r.answer.model->blocks, r.answer.model->per_generation.si)
                                  : does_not_apply();
        });
    table.row(
        {"tokens_per_second", "1", "generated tokens of all sequences per second (scope end_to_end)", maximize, true},
        [](Sampled const& r) {
            return r.answer.model ? static_cast<double>(r.design.batch * r.design.generation_length) / latency(r)
                                  : does_not_apply();
        });
}

void add_memories(Table& table) {
    table.row(
        {"hbm_energy", "J", "energy of the lines read while sampling, at a nominal energy per bit", minimize, true},
        [](Sampled const& r) { return Estimate::exact(bytes_read(r) * r.machine.silicon.hbm_energy.si); });
    table.row({"sram_energy", "J", "energy of the vector memory's accesses while sampling, at a nominal energy per bit",
               minimize, true},
              [](Sampled const& r) { return Estimate::exact(vector_memory_energy(r.design, r.machine.silicon).si); });
    table.row({"energy_delay", "J*s", "energy x latency", minimize},
              [](Sampled const& r) { return latency(r) * latency(r) * r.silicon().power.si; });
    table.row({"vector_sram_allocated", "B", "vector memory with areas as wide as VLEN and a place for every buffer",
               minimize},
              [](Sampled const& r) { return Estimate::exact(r.silicon().vector_sram_allocated.si); });
}

/// In the order in which people see them.
Table make_table() {
    Table table;
    add_cycles(table);
    add_times(table);
    add_silicon(table);
    add_energy_and_accuracy(table);
    add_generation(table);
    add_memories(table);
    return table;
}

}  // namespace

MetricList metrics() { return make_table().metrics(); }

Metrics metrics_of(Answer const& answer, Design const& design, MachineConstants const& machine) {
    static auto const table = make_table();
    return table.of({answer, design, machine});
}

}  // namespace pimdse::models::dplena
