#include "models/contract/outcome.hpp"

#include "sim/base/check.hpp"

#include <exception>

namespace pimdse::models {

Outcome outcome_safely(std::function<Outcome()> const& evaluate) {
    try {
        return evaluate();
    } catch (sim::TooLong const& error) {
        return Defect{error.what(), DefectKind::timeout};
    } catch (std::exception const& error) {
        if (sim::refused_by_host(error)) throw;
        return Defect{error.what()};
    }
}

}  // namespace pimdse::models
