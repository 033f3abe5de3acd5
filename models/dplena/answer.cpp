#include "models/dplena/answer.hpp"

#include "models/dplena/analytic.hpp"
#include "models/dplena/cycle.hpp"
#include "models/dplena/hybrid.hpp"

namespace pimdse::models::dplena {
namespace {

SamplingCost sampling_of(Program const& program, Prepared const& prepared, Fidelity fidelity) {
    switch (fidelity) {
        case Fidelity::analytic:
            break;
        case Fidelity::hybrid:
            return hybrid_sampling(program, prepared.machine, prepared.hybrid);
        case Fidelity::cycle:
            return cycle_sampling(program, prepared.machine.hbm);
    }
    return analytic_sampling(program, prepared.machine);
}

}  // namespace

Answer answer(Design const& design, Prepared const& prepared, Fidelity fidelity) {
    auto const& machine = prepared.machine;
    Program const program(design, machine.costs);
    Answer a{.sampling = sampling_of(program, prepared, fidelity),
             .silicon = silicon_of(design, machine.silicon),
             .accuracy = prepared.accuracy.of(design, machine.proxy),
             .model = std::nullopt};
    if (design.scope == Scope::end_to_end) a.model = model_phase(design, prepared);
    return a;
}

Breakdown breakdown_of(Answer const& a, Design const& d, MachineConstants const& machine) {
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
