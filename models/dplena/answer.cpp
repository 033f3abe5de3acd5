#include "models/dplena/answer.hpp"

#include "models/dplena/analytic.hpp"
#include "models/dplena/cycle.hpp"

namespace pimdse::models::dplena {
namespace {

SamplingCost sampling_of(Program const& program, MachineConstants const& machine, Fidelity fidelity) {
    return fidelity == Fidelity::cycle ? cycle_sampling(program, machine.hbm) : analytic_sampling(program, machine);
}

/// Shares of positions: what is not known lies between 0 and 1.
KnownAccuracy accuracy_of(Design const& design, Prepared const& prepared, Fidelity fidelity) {
    auto const& proxy = prepared.machine.proxy;
    if (fidelity == Fidelity::cycle) {
        auto const exact = prepared.accuracy.of(design, proxy);
        return {Estimate::exact(exact.argmax_agreement), Estimate::exact(exact.transfer_overlap)};
    }
    auto const guess = prepared.guesses.of(design, proxy);
    auto const share = [](double value) { return Estimate::within(value, 0.0, 1.0, Bound::proved); };
    auto const argmax = guess.value.argmax_agreement;
    return {guess.argmax_exact ? Estimate::exact(argmax) : share(argmax), share(guess.value.transfer_overlap)};
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
