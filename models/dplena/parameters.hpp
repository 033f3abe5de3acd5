#pragma once

#include "models/contract/parameter.hpp"
#include "models/dplena/constants.hpp"
#include "models/dplena/design.hpp"
#include "models/dplena/numerics/accuracy.hpp"

#include <memory>
#include <optional>

namespace pimdse::models::dplena {

/// What of the sampler is the same for all points, and caches of evaluations. The caches do not affect results.
struct Prepared {
    explicit Prepared(Constants const& constants);
    MachineConstants machine;
    std::shared_ptr<AccuracyProxy const> accuracy;
};

/// The keys of the part `sampler`: the parameters of the hardware and the program that sample, `vocab` and `scope`.
[[nodiscard]] Parameters sampler_keys();
/// The design of a part with these values of its keys that samples the tokens of a request. Its model lives longer.
[[nodiscard]] Design read_sampler(Point values, ModelRequest const& request);

/// The design with so many sequences, in whole groups of `preload`.
[[nodiscard]] Design with_sequences(Design design, std::int64_t sequences);

/// The first rule of the sampler that the design breaks, with the numbers in question; nullopt if there is none.
[[nodiscard]] std::optional<Infeasible> broken_rule(Design const& design, Prepared const& prepared);

}  // namespace pimdse::models::dplena
