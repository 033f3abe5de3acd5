#pragma once

#include "dse/space/columns.hpp"
#include "dse/space/expression.hpp"
#include "models/contract/architecture.hpp"

#include <string>
#include <vector>

namespace pimdse::dse::space {

/// The conditions on metrics of the space that a result file is of, and which of its answers meet them by their
/// estimates, and not by their intervals.
class LimitCrossings {
  public:
    /// A comparison of a condition, and which end of an interval is beyond its limit.
    struct Crossing {
        std::string constraint;  ///< its name; "" of a condition that is none of the space
        std::string comparison;  ///< "power <= 10 W"
        std::string end;         ///< "upper bound", "lower bound" or "bounds"
        bool operator==(Crossing const&) const = default;
    };

    /// Read from columns.canonical_text; a condition that cannot be read with these columns is left out. `where`: a
    /// condition on the same columns that is looked at, too; may be null, else must live as long. So must the columns.
    explicit LimitCrossings(Columns const& columns, Expression const* where = nullptr);

    /// Conditions of the space.
    [[nodiscard]] bool empty() const { return conditions_.empty() && where_ == nullptr; }
    [[nodiscard]] bool reads_metric(std::size_t index) const;
    /// Of a feasible answer: a value per parameter and an estimate per metric of the columns.
    [[nodiscard]] std::vector<Crossing> of(PointId point, models::Point values,
                                           std::span<models::Estimate const> metrics) const;

  private:
    struct Condition {
        std::string name;
        Expression expression;
        std::size_t machine = 0;
    };
    void read(std::string const& name, std::string const& text, std::size_t machine);
    Columns const& columns_;
    std::vector<Condition> conditions_;
    std::vector<Expression::Absent> absent_;  ///< by machine
    Expression const* where_;
};

/// "meets power <= 10 W by its estimate, not by its upper bound".
[[nodiscard]] std::string text_of(LimitCrossings::Crossing const& crossing);

}  // namespace pimdse::dse::space
