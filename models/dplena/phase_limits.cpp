#include "models/dplena/phase_limits.hpp"

#include "models/dplena/floorplan.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace pimdse::models::dplena {
namespace {

/// A unit, how long it is busy in a phase and what it would be at its roof.
struct Busy {
    double seconds = 0.0;
    char const* unit;
    double done = 0.0, roof = 0.0;
    char const* dimension;
};

PhaseLimit limit_of(std::string phase, Answer const& a, Design const& d, MachineConstants const& machine,
                    Work const& work) {
    double const frequency = machine.silicon.frequency.si;
    double const time = time_of(a, machine, work).value;
    double const in_vector = work.samplings * static_cast<double>(a.sampling.counts.vector) / frequency;
    double const in_scalar = work.samplings * static_cast<double>(a.sampling.counts.beside_vector()) / frequency;
    double const fetching = work.samplings * a.sampling.memory.value / frequency;
    auto const passes = work.model.value_or(ModelPass{});
    constexpr double operations = 2.0;  // of a multiply-add
    std::array<Busy, 6> const all{
        {{passes.compute.si, "matrix unit", operations * passes.multiplications,
          operations * matrix_unit(d, machine).rate, "FLOP/s"},
         {passes.transfer.si, "HBM bandwidth", passes.bytes.si, pin_bandwidth(d, machine).si, "B/s"},
         {passes.launches.si, "launches", passes.launches.si, 1.0, "1"},
         {in_vector, "vector unit", in_vector, 1.0, "1"},
         {in_scalar, "scalar unit", in_scalar, 1.0, "1"},
         {fetching, "fetches of logits", work.samplings * bytes_sampled(a.sampling, d), pin_bandwidth(d, machine).si,
          "B/s"}}};
    auto const& longest = *std::ranges::max_element(all, {}, &Busy::seconds);
    return {std::move(phase), longest.unit, longest.done / time, longest.roof, longest.dimension};
}

}  // namespace

std::vector<PhaseLimit> phase_limits(Answer const& a, Design const& d, MachineConstants const& machine) {
    if (!a.model) return {limit_of("sampling", a, d, machine, request_of(a))};
    std::vector<PhaseLimit> limits{limit_of("prefill", a, d, machine, prefill_of(a, d))};
    auto const rest = decode_of(a, d);
    if (time_of(a, machine, rest).value > 0.0) limits.push_back(limit_of("decode", a, d, machine, rest));
    return limits;
}

}  // namespace pimdse::models::dplena
