#pragma once

#include "models/contract/proofs.hpp"
#include "models/dplena/constants.hpp"
#include "models/dplena/design.hpp"
#include "models/dplena/numerics/accuracy.hpp"
#include "models/llm/model_choices.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::models::dplena {

/// Inputs of the sampler that are the same for all points, and caches of evaluations. The caches do not affect results.
struct Prepared : ModelChoices {
    Prepared(Parameters const& parameters, Constants const& constants);
    MachineConstants machine;
    std::shared_ptr<AccuracyProxy const> accuracy;
};

[[nodiscard]] Parameters parameters();

[[nodiscard]] Scope scope_of(Point point);
/// The design of a point. In scope end_to_end the vocabulary is that of the model, padded to whole vectors (in edge
/// mode to whole chunks). `prepared` lives longer.
[[nodiscard]] Design read_design(Point point, Prepared const& prepared);

/// The keys of the part `sampler`: the parameters of the hardware and the program that sample, and `vocab`.
[[nodiscard]] Parameters sampler_keys();
/// The design of a part with these values of its keys that samples the tokens of a request.
[[nodiscard]] Design read_sampler(Point values, ModelRequest const& request, Prepared const& prepared);

/// The design with so many sequences, in whole groups of `preload`.
[[nodiscard]] Design with_sequences(Design design, std::int64_t sequences);

/// The first rule of the sampler that the design breaks, with the numbers in question; nullopt if there is none.
[[nodiscard]] std::optional<Infeasible> broken_rule(Design const& design, Prepared const& prepared);

/// The keys that points share (cycle_key.cpp) and the directions of bounds (README.md, Lower bounds); the constants of
/// which the dimension does not tell how they move metrics.
[[nodiscard]] Proofs proofs();
[[nodiscard]] std::vector<std::string> constants_without_slopes();

}  // namespace pimdse::models::dplena
