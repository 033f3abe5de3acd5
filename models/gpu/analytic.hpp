#pragma once

#include "models/contract/architecture.hpp"
#include "models/gpu/prepared.hpp"
#include "models/gpu/roof.hpp"

namespace pimdse::models::gpu {

/// What a request costs: until its first token (or the first step of its first block), and after.
struct Answer {
    Stretch first, rest;
    Design design;
    BoardConstants board;
    double limit = 0.0;  ///< W of one board
    sim::Data footprint;
    sim::Power host;  ///< drawn as long as the boards work

    [[nodiscard]] Estimate ttft() const;
    [[nodiscard]] Estimate latency() const;
    [[nodiscard]] Estimate itl() const;
    [[nodiscard]] Estimate energy() const;
    [[nodiscard]] Estimate power() const;
    /// Mean power of the passes until the first token and after it; of what does not happen it does not apply.
    [[nodiscard]] Estimate prefill_power() const;
    [[nodiscard]] Estimate decode_power() const;
    [[nodiscard]] Estimate peak_power() const;
    [[nodiscard]] Estimate package_power() const;  ///< most that one package of memory draws in either phase
    [[nodiscard]] double host_energy() const;      ///< J
    [[nodiscard]] std::vector<PhaseLimit> limits() const;
    [[nodiscard]] double idle_energy() const;  ///< J, all boards
    [[nodiscard]] Stretch all() const;
};

[[nodiscard]] Answer analytic(Design const& design, MachineConstants const& machine);

}  // namespace pimdse::models::gpu
