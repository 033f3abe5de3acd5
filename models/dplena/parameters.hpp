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

/// Inputs that are the same for all points, and caches of evaluations. The caches do not affect results.
struct Prepared : ModelChoices {
    MachineConstants machine;
    std::shared_ptr<AccuracyProxy const> accuracy;
};

[[nodiscard]] std::shared_ptr<Prepared> prepared_with(Parameters const& parameters, Constants const& constants);
[[nodiscard]] std::shared_ptr<void const> prepare(Parameters const& parameters, ModelOptions const& options);

[[nodiscard]] Parameters parameters();

/// The design of a point. In scope end_to_end the vocabulary is that of the model, padded to whole vectors (in edge
/// mode to whole chunks). `prepared` lives longer.
[[nodiscard]] Design read_design(Point point, Prepared const& prepared);

/// The parameters that are keys of the part `sampler`: those of the hardware and the program that sample.
[[nodiscard]] Parameters sampler_keys();
/// The design of a part with these values of its keys that samples the tokens of a request.
[[nodiscard]] Design read_sampler(Point values, ModelRequest const& request, Prepared const& prepared);

/// The design with so many sequences, in whole groups of `preload`.
[[nodiscard]] Design with_sequences(Design design, std::int64_t sequences);

/// The first rule that the design breaks, with the numbers in question; nullopt if the design is feasible.
[[nodiscard]] std::optional<Infeasible> broken_rule(Design const& design, Prepared const& prepared);
/// The same without the rules of passes, which other units run.
[[nodiscard]] std::optional<Infeasible> broken_rule_of_sampler(Design const& design, Prepared const& prepared);

/// The keys that points share (cycle_key.cpp) and the directions of bounds (README.md, Lower bounds); the constants of
/// which the dimension does not tell how they move metrics.
[[nodiscard]] Proofs proofs();
[[nodiscard]] std::vector<std::string> constants_without_slopes();

}  // namespace pimdse::models::dplena
