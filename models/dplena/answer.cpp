#include "models/dplena/answer.hpp"

#include "models/dplena/analytic.hpp"
#include "models/dplena/cycle.hpp"

namespace pimdse::models::dplena {
namespace {

SamplingCost sampling_of(Program const& program, MachineConstants const& machine, Fidelity fidelity) {
    return fidelity == Fidelity::cycle ? cycle_sampling(program, machine.hbm) : analytic_sampling(program, machine);
}

AccuracyBounds accuracy_of(Design const& design, Prepared const& prepared, Fidelity fidelity) {
    if (fidelity != Fidelity::cycle) return prepared.accuracy.bounds_of(design, prepared.machine.proxy);
    auto const exact = prepared.accuracy.of(design, prepared.machine.proxy);
    return {exact.argmax_agreement, exact.transfer_overlap};
}

}  // namespace

Answer answer(Design const& design, Prepared const& prepared, Fidelity fidelity) {
    auto const& machine = prepared.machine;
    Program const program(design, machine.costs);
    Answer a{.sampling = sampling_of(program, machine, fidelity),
             .silicon = silicon_of(design, machine),
             .accuracy = accuracy_of(design, prepared, fidelity),
             .model = std::nullopt};
    if (design.scope == Scope::end_to_end) a.model = model_phase(design, prepared);
    return a;
}

}  // namespace pimdse::models::dplena
