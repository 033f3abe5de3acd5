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
             .silicon = silicon_of(design, machine),
             .accuracy = prepared.accuracy.of(design, machine.proxy),
             .model = std::nullopt};
    if (design.scope == Scope::end_to_end) a.model = model_phase(design, prepared);
    return a;
}

}  // namespace pimdse::models::dplena
