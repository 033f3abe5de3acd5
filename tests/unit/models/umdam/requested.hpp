#pragma once

#include "models/umdam/request.hpp"
#include "models/umdam/system.hpp"
#include "shipped.hpp"

#include <variant>
#include <vector>

namespace pimdse::models::umdam::testing {

/// A request of the shipped machine with its system, unless that cannot be built.
struct Requested : tests::Asked {
    System system;
    bool exists = false;

    explicit Requested(tests::Setting const& setting) : Asked(shipped_umdam(), setting) {
        auto made = make_system(prepared(), design_at(inputs, point));
        if (auto* const found = std::get_if<System>(&made)) {
            system = std::move(*found);
            exists = true;
        }
    }
    [[nodiscard]] Prepared const& prepared() const { return prepared_of(inputs); }
    /// On all units that may be the fastest; on the most likely ones.
    [[nodiscard]] std::vector<RequestCost> results(Fidelity fidelity = Fidelity::analytic) const {
        return run_request(prepared(), system, fidelity);
    }
    [[nodiscard]] RequestCost cost(Fidelity fidelity = Fidelity::analytic) const { return results(fidelity).front(); }
};

}  // namespace pimdse::models::umdam::testing
