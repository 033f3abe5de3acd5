#pragma once

#include "dse/space/columns.hpp"
#include "models/expression/expression.hpp"

#include <string>
#include <vector>

namespace pimdse::dse::space {

/// Finds results of a file that meet the space's conditions on metrics by their estimates, but not by their whole
/// intervals.
class LimitCrossings {
  public:
    /// A comparison in a condition, and the interval end on the other side of its limit.
    struct Crossing {
        std::string constraint;  ///< the constraint's name; "" for a condition that does not belong to the space
        std::string comparison;  ///< "power <= 10 W"
        std::string end;         ///< "upper bound", "lower bound" or "bounds"
        bool operator==(Crossing const&) const = default;
    };

    /// Reads the conditions from columns.canonical_text; a condition that cannot be read with these columns is left
    /// out. `where`: a further condition on the same columns, or nullptr. `columns` and `where` must outlive this
    /// object.
    explicit LimitCrossings(Columns const& columns, models::Expression const* where = nullptr);

    /// True if there are no conditions.
    [[nodiscard]] bool empty() const { return conditions_.empty() && where_ == nullptr; }
    [[nodiscard]] bool reads_metric(std::size_t index) const;
    /// The crossings of a feasible result, given one value per parameter and one estimate per metric of the columns.
    [[nodiscard]] std::vector<Crossing> of(PointId point, models::Point values,
                                           std::span<models::Estimate const> metrics) const;

  private:
    struct Condition {
        std::string name;
        models::Expression expression;
        std::size_t machine = 0;
    };
    void read(std::string const& name, std::string const& text, std::size_t machine);
    Columns const& columns_;
    std::vector<Condition> conditions_;
    std::vector<models::Expression::Absent> absent_;  ///< by machine
    models::Expression const* where_;
};

/// "meets power <= 10 W by its estimate, not by its upper bound".
[[nodiscard]] std::string text_of(LimitCrossings::Crossing const& crossing);

}  // namespace pimdse::dse::space
