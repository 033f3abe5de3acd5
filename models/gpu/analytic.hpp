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

    [[nodiscard]] Estimate ttft() const;
    [[nodiscard]] Estimate latency() const;
    [[nodiscard]] Estimate itl() const;
    [[nodiscard]] Estimate energy() const;
    [[nodiscard]] Estimate power() const;
    [[nodiscard]] double idle_energy() const;  ///< J, all boards
    [[nodiscard]] Stretch all() const;
};

[[nodiscard]] Answer analytic(Design const& design, MachineConstants const& machine);

}  // namespace pimdse::models::gpu
