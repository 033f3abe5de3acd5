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

/// A design with its result: the input of all metrics.
struct Sampled {
    Sampled(Result const& of_design, Design const& point, Prepared const& inputs)
        : result(of_design),
          design(point),
          prepared(inputs),
          machine(inputs.machine),
          power(powers_of(point, machine)),
          all(request_of(of_design)),
          latency(time_of(of_design, all)),
          energy(energy_of(of_design, point, machine, power, all)) {
        if (!of_design.model) return;
        first = prefill_of(of_design, point);
        rest = decode_of(of_design, point);
    }

    Result const& result;
    Design const& design;
    Prepared const& prepared;
    MachineConstants const& machine;
    Powers power;
    Work all, first, rest;  ///< the request, and in scope end_to_end its parts until the first step and after it
    Estimate latency, energy;
};

/// Marks a metric that exists in scope end_to_end only.
Metric of_requests(Metric metric) { return needing(std::move(metric), {needs("scope", "end_to_end")}); }

/// A member of the silicon, or of the counts of cycles.
template <auto member>
Estimate of(Sampled const& r) {
    if constexpr (std::is_invocable_v<decltype(member), Silicon const&>)
        return (r.result.silicon.*member).si;
    else
        return static_cast<double>(r.result.sampling.counts.*member);
}

/// Sampling time of one block [s].
Estimate sampling_time(Sampled const& r) { return r.result.sampling.total * (1.0 / r.result.clock.si); }

/// Sampling time of one step [s].
Estimate step_time(Sampled const& r) { return sampling_time(r) * (1.0 / static_cast<double>(r.design.steps)); }

Estimate first_token(Sampled const& r) {
    return r.result.model ? sampling_time(r) * r.design.first_sampling() +
                                (r.result.model->full.total() + fifo_seconds(r.result, r.first))
                          : does_not_apply();
}

/// Mean time per token after the first step of the first block.
Estimate between_tokens(Sampled const& r) {
    if (!r.result.model || r.design.output == 1) return does_not_apply();
    auto const& model = *r.result.model;
    double const samplings = model.samplings - r.design.first_sampling();
    auto const rest = sampling_time(r) * samplings + (model.rest.total() + fifo_seconds(r.result, r.rest));
    return rest * (1.0 / static_cast<double>(r.design.output - 1));
}

double occupied(Sampled const& r) {
    if (r.result.model) return resident_bytes(r.design, r.machine).si;
    return static_cast<double>(r.design.logits()) * r.design.element_bytes();
}

/// part / (part + rest), which increases with part.
Estimate share(Estimate const& part, double rest) {
    auto const share_of = [rest](double x) { return x / (x + rest); };
    return {share_of(part.value), share_of(part.lower), share_of(part.upper), part.kinds};
}

/// Mean power, which decreases with the length of a run: the energy that does not grow with time is at least the energy
/// of the same units while waiting (README.md, Lower bounds). So each bound divides an energy by the time of the same
/// run.
Estimate mean_power(Estimate const& energy, Estimate const& time) {
    if (time.is_exact()) return energy / time;
    constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();
    return Estimate::within(energy.value / time.value, energy.upper / time.upper * (1.0 - rounding),
                            energy.lower / time.lower * (1.0 + rounding), time.kinds.swapped());
}

Estimate power_of(Sampled const& r, Work const& work) {
    return mean_power(energy_of(r.result, r.design, r.machine, r.power, work), time_of(r.result, work));
}

Estimate prefill_power(Sampled const& r) { return r.result.model ? power_of(r, r.first) : does_not_apply(); }

/// Whether any step follows the first one.
bool goes_on(Sampled const& r) { return r.result.model->blocks * static_cast<double>(r.design.steps) > 1.0; }

Estimate decode_power(Sampled const& r) {
    return r.result.model && goes_on(r) ? power_of(r, r.rest) : does_not_apply();
}

/// Mean power of one stack in a phase. All channels carry the same load.
Estimate stack_power_in(Sampled const& r, Work const& work) {
    double const bytes =
        work.samplings * bytes_sampled(r.result.sampling, r.design) + (work.model ? work.model->bytes(Npu::hbm) : 0.0);
    return stack_power(r.design, r.machine, r.power.rest, Estimate(bytes) / time_of(r.result, work));
}

/// Largest mean power of one stack in the phases of peak_power.
Estimate package_power(Sampled const& r) {
    if (!r.result.model) return stack_power_in(r, r.all);
    auto const prefill = stack_power_in(r, r.first);
    return goes_on(r) ? larger(prefill, stack_power_in(r, r.rest)) : prefill;
}

using Table = MetricTable<Sampled>;
void add_cycles(Table& table) {
    table.row({"cycles_vector", "cycles", "cycles of vector instructions"}, of<&Counts::vector>);
    table.row({"cycles_scalar", "cycles",
               "cycles of scalar instructions, without the second half of S_MAP_V_FP, which the authors do not count"},
              of<&Counts::scalar>);
    table.row({"cycles_control", "cycles", "cycles of address, scale and stride settings"}, of<&Counts::control>);
    table.row({"cycles_memory", "cycles", "cycles with a prefetch in flight"},
              [](Sampled const& r) { return r.result.sampling.memory; });
    table.row(
        {"cycles_total", "cycles",
         "cycles of the sampling; with overlap none the sum of the four, of batch x steps x block_length copy cycles "
         "and of those in which instructions wait for results; then of the FIFO to the host"},
        [](Sampled const& r) { return r.result.sampling.total + (r.result.fifo.entering + r.result.fifo.leaving); });
}

void add_times(Table& table) {
    table.row(common_metric(
        "latency", "scope sampling: cycles_total at the clock of the units; end_to_end: the whole generation"));
    table.row(of_requests(common_metric("ttft", "to the end of the first step (scope end_to_end)", true)));
    table.row(needing(common_metric("itl", "after the first step (scope end_to_end)", true),
                      {needs("scope", "end_to_end"), needs_more_than("generation_length", 1)}));
    table.row(of_requests(common_metric("tokens_per_second", "scope end_to_end", true)));
    table.row({"hbm_bandwidth", "B/s", "bytes of all 64-byte lines read while sampling, over its cycles", maximize},
              [](Sampled const& r) { return bytes_sampled(r.result.sampling, r.design) / sampling_time(r); });
}

void add_memories(Table& table) {
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
    table.row(common_metric("footprint",
                            "scope sampling: logits and scales; end_to_end: weights, cache and the logits of a block"));
}

void add_silicon(Table& table) {
    table.row(common_metric("area", "", true));
    table.row(common_metric("memory_area", "DRAM and base dies of the stacks, in proportion to the channels", true));
    table.row(common_metric("silicon", "the die, DRAM and base dies", true));
    table.row(
        {"vector_area", "m2", "vector datapath and scalar unit as published, with an exponential unit in every lane"},
        [](Sampled const& r) {
            return Estimate::exact((r.result.silicon.vector_area + r.result.silicon.scalar_area).si);
        });
    table.row({"vector_power", "W", "vector datapath while it runs, as published"}, of<&Silicon::vector_power>);
    table.row({"vector_energy", "J", "vector_power times the sampling time, as in the paper's figures"},
              [](Sampled const& r) {
                  bool const here = r.design.sampler == Sampler::npu;
                  return here ? sampling_time(r) * r.result.silicon.vector_power.si : Estimate::exact(0.0);
              });
}

void add_energy(Table& table) {
    table.row(common_metric("energy", "", true));
    table.row(of_requests(common_metric("energy_per_token", "scope end_to_end", true)));
    table.row(common_metric("power", "", true));
    table.row(of_requests(common_metric("prefill_power", "diffusion: the first step (scope end_to_end)", true)));
    table.row(common_metric("decode_power", "diffusion: all later steps (scope end_to_end)", true));
    table.row(common_metric("peak_power", "the larger of prefill_power and decode_power; scope sampling: power", true));
    table.row(common_metric("package_power", "a stack of HBM: rows, pins, background", true));
    table.row(common_metric("idle_power", "all rows closed, all units waiting", true));
    table.row(over(OverDevices::energy_delay, {"energy_delay", "J*s", "energy x latency", minimize, true}),
              [](Sampled const& r) { return r.energy * r.latency; });
    table.row(
        {"hbm_energy", "J", "energy of HBM array and pins for the lines that the sampling of a block reads", minimize,
         true},
        [](Sampled const& r) {
            double const bytes = bytes_sampled(r.result.sampling, r.design);
            return Estimate::exact(array_energy(bytes, r.machine.stack) + interface_energy(bytes, r.machine.stack));
        });
    table.row(
        {"sram_energy", "J", "energy of the accesses to the vector memory in the sampling of a block", minimize, true},
        [](Sampled const& r) { return Estimate::exact(vector_memory_energy(r.design, r.machine.silicon).si); });
}

void add_accuracy(Table& table) {
    table.row(of_requests(common_metric("precision", "scope end_to_end: weight_bits")));
    table.row({"argmax_agreement", "1", "share of synthetic rows whose token equals that of FP64, with the same noise",
               maximize, true},
              [](Sampled const& r) { return r.result.accuracy.argmax_agreement; });
    table.row({"transfer_overlap", "1", "Jaccard index of the committed positions of synthetic blocks against FP64",
               maximize, true},
              [](Sampled const& r) { return r.result.accuracy.transfer_overlap; });
}

void add_generation(Table& table) {
    table.row(of_requests({"model_time", "s", "one cached model step (scope end_to_end)", minimize, true}),
              [](Sampled const& r) {
                  return r.result.model ? Estimate::exact(r.result.model->cached.total()) : does_not_apply();
              });
    table.row(of_requests({"sampling_share", "1",
                           "share of sampling in the time of one step: sampling and model_time (scope end_to_end)",
                           minimize, true}),
              [](Sampled const& r) {
                  return r.result.model ? share(step_time(r), r.result.model->cached.total()) : does_not_apply();
              });
    table.row(
        of_requests({"end_to_end_share", "1",
                     "share of sampling in the latency of the whole generation (scope end_to_end)", minimize, true}),
        [](Sampled const& r) {
            if (!r.result.model) return does_not_apply();
            auto const& model = *r.result.model;
            return share(sampling_time(r) * model.samplings, model.per_generation.total());
        });
}

/// The table of metrics in the order in which they are printed.
Table const& table() {
    static auto const made =
        table_of<Table, add_cycles, add_times, add_memories, add_silicon, add_energy, add_accuracy, add_generation>();
    return made;
}

AccuracyBounds accuracy_of(Design const& design, Prepared const& prepared, Fidelity fidelity) {
    if (fidelity != Fidelity::cycle) return prepared.accuracy->bounds_of(design, prepared.machine.proxy);
    auto const exact = prepared.accuracy->of(design, prepared.machine.proxy);
    return {exact.argmax_agreement, exact.transfer_overlap};
}

}  // namespace

MetricList metrics() { return with_common(table().metrics(), "a die with HBM2 on an interposer"); }

RequestResult request_result(Result const& result, Design const& design, Prepared const& prepared,
                             economy::Economy const& economy) {
    Sampled const a{result, design, prepared};
    bool const serves = result.model.has_value();
    RequestResult r;
    r.latency = a.latency;
    r.ttft = first_token(a);
    r.itl = between_tokens(a);
    r.energy = a.energy;
    r.power = mean_power(a.energy, a.latency);
    r.prefill_power = prefill_power(a);
    r.decode_power = decode_power(a);
    r.peak_power = !serves ? r.power : goes_on(a) ? larger(r.prefill_power, r.decode_power) : r.prefill_power;
    r.package_power = package_power(a);
    r.idle_power = a.power.rest.idle();
    r.waiting_power = a.power.rest.waiting();
    r.area = sum_of(area_of(design, a.machine));
    r.memory_area = memory_area_of(design, a.machine).si;
    r.footprint = occupied(a);
    if (serves) {
        r.precision = static_cast<double>(design.weight_bits);
        r.tokens = static_cast<double>(design.batch * design.output);
    }
    r.own = table().of(a);
    economy.add_bill(r, materials_of(r.area.value, design, a.machine));
    return r;
}

SamplingCost sampling_of(Program const& program, MachineConstants const& machine, Fidelity fidelity) {
    auto const& d = program.design();
    if (d.sampler == Sampler::host)
        return fidelity == Fidelity::cycle ? host_timeline(d, machine) : host_sampling(d, machine);
    return fidelity == Fidelity::cycle ? cycle_sampling(program, machine.hbm) : analytic_sampling(program, machine);
}

Result result_of(Design const& design, Prepared const& prepared, Fidelity fidelity) {
    auto const& machine = prepared.machine;
    Program const program(design, machine.costs);
    Result a{.sampling = sampling_of(program, machine, fidelity),
             .clock = unit_clock(design, machine),
             .silicon = silicon_of(design, machine),
             .accuracy = accuracy_of(design, prepared, fidelity),
             .npu = std::nullopt,
             .model = std::nullopt,
             .fifo = fidelity == Fidelity::cycle ? host_fifo_timeline(design, machine) : host_fifo(design, machine)};
    if (design.scope == Scope::end_to_end) {
        a.npu.emplace(design, machine);
        a.model = model_phase(*a.npu);
    }
    return a;
}

}  // namespace pimdse::models::dplena
