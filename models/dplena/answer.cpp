#include "models/dplena/answer.hpp"

#include "models/dplena/memories.hpp"
#include "models/dplena/timeline.hpp"

#include <limits>

namespace pimdse::models::dplena {
namespace {

constexpr double line_bytes = 64.0;

Estimate affine(Estimate const& e, double factor, double offset = 0.0) {
    return {e.value * factor + offset, e.low * factor + offset, e.high * factor + offset, e.bound};
}

/// factor / e: the bounds change places.
Estimate inverse(Estimate const& e, double factor) { return {factor / e.value, factor / e.high, factor / e.low, e.bound}; }

Estimate does_not_apply() { return Estimate::unbounded(std::numeric_limits<double>::quiet_NaN()); }

Estimate exact(std::int64_t count) { return Estimate::exact(static_cast<double>(count)); }

double bytes_read(Answer const& a, Design const& d) {
    return line_bytes * static_cast<double>(a.sampling.prefetches) * static_cast<double>(d.lines_per_prefetch());
}

Estimate sampling_time(Answer const& a, Machine const& machine) { return affine(a.sampling.total, 1.0 / machine.silicon.frequency.si); }

Estimate latency(Answer const& a, Machine const& machine) {
    auto const sampling = sampling_time(a, machine);
    return a.model ? affine(sampling, a.model->blocks, a.model->per_generation.si) : sampling;
}

/// part / (part + rest), rising in part.
Estimate share(Estimate const& part, double rest) {
    auto const of = [rest](double x) { return x / (x + rest); };
    return {of(part.value), of(part.low), of(part.high), part.bound};
}

Estimate squared(Estimate const& e, double factor) {
    return {e.value * e.value * factor, e.low * e.low * factor, e.high * e.high * factor, e.bound};
}

void add_model_metrics(Metrics& into, Answer const& a, Design const& d, Machine const& machine) {
    if (!a.model) {
        into.insert(into.end(), 4, does_not_apply());
        return;
    }
    auto const sampling = sampling_time(a, machine);
    auto const tokens = static_cast<double>(d.batch * d.generation_length);
    into.push_back(Estimate::exact(a.model->cached.si));
    into.push_back(share(affine(sampling, 1.0 / static_cast<double>(d.steps)), a.model->cached.si));
    into.push_back(share(affine(sampling, a.model->blocks), a.model->per_generation.si));
    into.push_back(inverse(latency(a, machine), tokens));
}

SamplingCost sampling_of(Program const& program, Machine const& machine, Fidelity fidelity) {
    switch (fidelity) {
        case Fidelity::analytic:
            break;
        case Fidelity::hybrid:
            return hybrid_sampling(program, machine);
        case Fidelity::cycle:
            return cycle_sampling(program, machine);
    }
    return analytic_sampling(program, machine);
}

}  // namespace

Answer answer(Design const& design, Machine const& machine, Fidelity fidelity) {
    Program const program(design, machine.costs);
    Answer a{.sampling = sampling_of(program, machine, fidelity),
             .silicon = silicon_of(design, machine.silicon),
             .accuracy = machine.memories->accuracy.of(design, machine.proxy),
             .model = std::nullopt};
    if (design.scope == Scope::end_to_end) a.model = model_phase(design, machine);
    return a;
}

Metrics metrics_of(Answer const& a, Design const& d, Machine const& machine) {
    auto const& counts = a.sampling.counts;
    auto const& silicon = a.silicon;
    auto const total = latency(a, machine);
    Metrics m{exact(counts.vector),
              exact(counts.scalar),
              exact(counts.control),
              a.sampling.memory,
              a.sampling.total,
              total,
              inverse(sampling_time(a, machine), bytes_read(a, d)),
              Estimate::exact(silicon.vector_sram.si),
              Estimate::exact(silicon.fp_sram.si),
              Estimate::exact(silicon.int_sram.si),
              Estimate::exact((silicon.vector_area + silicon.scalar_area).si),
              Estimate::exact(silicon.sram_area.si),
              Estimate::exact(silicon.power.si),
              affine(total, silicon.power.si),
              Estimate::exact(a.accuracy.argmax_agreement),
              Estimate::exact(a.accuracy.transfer_overlap)};
    add_model_metrics(m, a, d, machine);
    m.push_back(Estimate::exact(bytes_read(a, d) * machine.silicon.hbm_energy.si));
    m.push_back(Estimate::exact(vector_memory_energy(d, machine.silicon).si));
    m.push_back(squared(total, silicon.power.si));
    m.push_back(Estimate::exact(silicon.vector_sram_allocated.si));
    return m;
}

Breakdown breakdown_of(Answer const& a, Design const& d, Machine const& machine) {
    Breakdown b;
    auto const blocks = a.model ? a.model->blocks : 1.0;
    auto const tick = blocks / machine.silicon.frequency.si;
    auto const& c = a.sampling.counts;
    auto const add = [&](std::string what, double cycles) { b.time.push_back({std::move(what), cycles * tick}); };
    add("sampling/vector", static_cast<double>(c.vector));
    if (d.overlap == Overlap::none) {
        add("sampling/scalar", static_cast<double>(c.scalar));
        add("sampling/control", static_cast<double>(c.control));
        add("sampling/copy", static_cast<double>(c.copy));
        add("sampling/memory", a.sampling.memory.value);
    } else {
        add("sampling/not hidden behind vector", a.sampling.total.value - static_cast<double>(c.vector));
    }
    if (a.model) {
        b.time.push_back({"model/full passes", a.model->full.si * blocks});
        b.time.push_back({"model/cached passes", a.model->cached.si * static_cast<double>(d.steps - 1) * blocks});
    }
    for (auto const& share : b.time) b.energy.push_back({share.what, share.amount * a.silicon.power.si});
    b.area = {{"vector datapath", a.silicon.vector_area.si}, {"scalar unit", a.silicon.scalar_area.si}};
    return b;
}

}  // namespace pimdse::models::dplena
