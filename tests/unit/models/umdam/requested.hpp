#pragma once

#include "models/contract/validation.hpp"
#include "models/umdam/parameters.hpp"
#include "models/umdam/request.hpp"
#include "models/umdam/system.hpp"
#include "shipped.hpp"

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace pimdse::models::umdam::testing {

/// A feasible request with its machine.
struct Requested {
    Parameters table = shipped_umdam().parameters();
    std::vector<Value> point;
    Inputs inputs;
    System system;

    explicit Requested(std::vector<std::pair<std::string, std::string>> const& setting)
        : point(point_with(table, setting)) {
        inputs = prepare(shipped_umdam(), table);
        system = std::get<System>(make_system(prepared_of(inputs), design_at(inputs, point)));
    }
    [[nodiscard]] RequestCost cost(Fidelity fidelity = Fidelity::analytic) const {
        return run_request(prepared_of(inputs), system, fidelity).front();
    }
};

}  // namespace pimdse::models::umdam::testing
