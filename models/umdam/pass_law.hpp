#pragma once

#include "models/contract/fidelity.hpp"
#include "models/contract/service_engine.hpp"
#include "models/umdam/ledger.hpp"
#include "models/umdam/spans.hpp"
#include "models/umdam/system.hpp"
#include "sim/serving/step.hpp"

#include <cstdint>
#include <memory>

namespace pimdse::models::umdam {

/// Costs of passes, which are the steps of a serving engine. The units that a point fixes execute their parts of every
/// pass: usually the NPU its parts of prompts, and the banks its decoding sequences. Each part that the point leaves
/// open goes to the unit with which the pass takes the least time. What one unit multiplies in a pass uses the weights
/// together; NPU and banks take turns, or work at the same time as `concurrency` allows. `batch`, `input` and `output`
/// do not matter. The parts follow the laws of a request (serving.hpp), each computed once; at fidelity cycle, every
/// part begins just after a refresh. Thread-safe.
class PassLaw {
  public:
    PassLaw() = default;
    PassLaw(PassLaw const&) = delete;
    PassLaw& operator=(PassLaw const&) = delete;
    virtual ~PassLaw() = default;

    /// A pass on the fastest units.
    [[nodiscard]] virtual Spending of(sim::serving::StepWork const& work) const = 0;
    /// Storage as a tier of the cache.
    [[nodiscard]] virtual KeyTier tier() const = 0;
};

/// `of`: a system of one request whose weights are in the memory; `prepared` lives longer.
[[nodiscard]] std::shared_ptr<PassLaw const> pass_law(Prepared const& prepared, System const& of, Fidelity fidelity);

}  // namespace pimdse::models::umdam
