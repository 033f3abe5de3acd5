#pragma once

#include "dse/answers/result_store.hpp"
#include "dse/front/archive.hpp"
#include "dse/task/objective.hpp"

#include <chrono>
#include <span>
#include <vector>

namespace pimdse::dse::front {

/// How many answers of a growing store nobody dominates, for people who watch: it looks at rows for as long as it is
/// given, so that a front that is dear to follow costs a small share of the time and the number falls behind instead.
class FrontCount {
  public:
    FrontCount(answers::ResultStore const& store, std::span<task::Objective const> objectives,
               models::Fidelity fidelity);

    void look(std::chrono::microseconds at_most);
    /// Members among the rows looked at.
    [[nodiscard]] std::size_t members() const { return front_.size(); }
    [[nodiscard]] std::uint64_t rows() const { return next_; }

  private:
    answers::ResultStore const& store_;
    std::vector<task::Objective> objectives_;
    models::Fidelity fidelity_;
    Archive front_;
    std::vector<double> values_;
    std::uint64_t next_ = 0;  ///< row
};

}  // namespace pimdse::dse::front
