#include "models/dplena/answer.hpp"

#include "models/dplena/cycle.hpp"
#include "models/dplena/prepared.hpp"

namespace pimdse::models::dplena {
namespace {

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
