#pragma once

#include "dse/space/axis.hpp"
#include "dse/space/expression.hpp"
#include "dse/space/scenarios.hpp"
#include "dse/task/answer.hpp"
#include "dse/task/columns.hpp"
#include "dse/task/objective.hpp"
#include "models/contract/architecture.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::dse::space {

/// A condition a point must meet. `before` = it reads parameters only and is checked before simulation.
struct Constraint {
    std::string name;
    Expression expression;
    bool before = false;
};

/// Which answers stay: every one, or of each block of ids only what nobody in the block dominates.
enum class Keep : std::uint8_t { all, front };

struct SearchSettings {
    std::string strategy = "sweep";
    std::uint64_t budget = 0;  ///< evaluations; 0 = the whole space
    std::uint64_t seed = 1;
    models::Fidelity fidelity = models::Fidelity::analytic;
    Keep keep = Keep::all;
    std::uint64_t shard = 0;  ///< of `shards` equal parts of what would be asked, this one is
    std::uint64_t shards = 1;
};

/// A finite, numbered set of points of one architecture, with what is asked of it. Immutable; shared by all threads.
class Space {
  public:
    /// What a space is made of, each as its reader found it. Fewer than 2^64 points have a value of each axis.
    struct Parts {
        models::Architecture const* architecture = nullptr;
        models::Inputs inputs;
        models::MetricList metrics;
        std::vector<Axis> axes;
        std::vector<task::Objective> objectives;
        std::vector<Constraint> constraints;
        Scenarios scenarios;
        SearchSettings search;
        std::string text;
        std::vector<std::pair<std::string, std::string>> notes;
    };
    explicit Space(Parts parts);

    [[nodiscard]] models::Architecture const& architecture() const { return *parts_.architecture; }
    [[nodiscard]] models::Inputs const& inputs() const { return parts_.inputs; }
    /// The bound table: every accepted text is among its choices.
    [[nodiscard]] models::Parameters const& parameters() const { return parts_.inputs.parameters; }
    [[nodiscard]] models::MetricList const& metrics() const { return parts_.metrics; }
    [[nodiscard]] std::vector<Axis> const& axes() const { return parts_.axes; }
    [[nodiscard]] std::vector<task::Objective> const& objectives() const { return parts_.objectives; }
    [[nodiscard]] std::vector<Constraint> const& constraints() const { return parts_.constraints; }
    [[nodiscard]] Scenarios const& scenarios() const { return parts_.scenarios; }
    [[nodiscard]] SearchSettings const& search() const { return parts_.search; }
    /// The file as written, for provenance.
    [[nodiscard]] std::string const& text() const { return parts_.text; }
    /// JSON of everything that decides which points exist and what they answer: architecture, every axis, constraints
    /// and fixed inputs; the part of the digest that stands for the space. Equal spaces have equal text.
    [[nodiscard]] std::string canonical_text() const;

    /// What became of the values a parameter could take before any was evaluated ("mapping", "5040 candidates, 912
    /// distinct, 63 legal"), where the architecture enumerates classes.
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> const& notes() const { return parts_.notes; }

    /// Number of points, exact. At most 2^64 - 1 (a larger space is refused when loaded).
    [[nodiscard]] std::uint64_t size() const { return size_; }
    /// The point with this id; `into` has one value per parameter.
    void decode(task::PointId id, std::vector<models::Value>& into) const;
    /// The id of a point; throws ContractViolation if a value is not on its axis.
    [[nodiscard]] task::PointId encode(models::Point point) const;

    /// What a result file of this space must know, parameters that scenarios decide left out; `decode` refers to this
    /// space, which must outlive it.
    [[nodiscard]] task::Columns columns() const;

    void set_objectives(std::vector<task::Objective> objectives) { parts_.objectives = std::move(objectives); }
    void set_search(SearchSettings search) { parts_.search = std::move(search); }

  private:
    Parts parts_;
    std::uint64_t size_ = 1;
};

}  // namespace pimdse::dse::space
