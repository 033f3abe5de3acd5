#pragma once

#include "dse/answers/result_store.hpp"
#include "dse/task/objective.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace pimdse::dse::explain {

/// The feasible answers of one fidelity as vectors of objectives, of which less is better, and the front among them.
/// Sorted by id.
class Landscape {
  public:
    Landscape(answers::ResultStore const& store, std::vector<task::Objective> objectives, models::Fidelity fidelity);

    [[nodiscard]] std::size_t size() const { return ids_.size(); }
    [[nodiscard]] std::vector<task::Objective> const& objectives() const { return objectives_; }
    [[nodiscard]] models::Fidelity fidelity() const { return fidelity_; }
    [[nodiscard]] task::PointId id(std::size_t at) const { return ids_[at]; }
    [[nodiscard]] std::span<double const> vector(std::size_t at) const {
        return std::span(values_).subspan(at * objectives_.size(), objectives_.size());
    }
    [[nodiscard]] std::optional<std::size_t> find(task::PointId point) const;
    /// Where the members of the front are.
    [[nodiscard]] std::vector<std::size_t> const& front() const { return front_; }

    /// What metrics are as a vector.
    [[nodiscard]] std::vector<double> vector_of(models::Metrics const& metrics) const;
    /// A number of a vector as its metric has it.
    [[nodiscard]] double as_metric(std::size_t objective, double number) const;

  private:
    std::vector<task::Objective> objectives_;
    models::Fidelity fidelity_;
    std::vector<task::PointId> ids_;
    std::vector<double> values_;
    std::vector<std::size_t> front_;
};

}  // namespace pimdse::dse::explain
