#pragma once

#include "dse/search/box_search.hpp"
#include "dse/space/machine.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace pimdse::dse::search {

/// Exact bounds of the metrics that the tables of a machine give, over boxes of its points: the smallest and the
/// largest value in the rows of the box. With scenarios they are those of each scenario and their aggregates, for every
/// combination of design parameters that has a row in all scenarios.
class TableBounds {
  public:
    /// Positions on the axis of each parameter of the machine.
    using Runs = std::span<Box::Run const>;
    struct Ends {
        double min = 0.0, max = 0.0;
    };

    explicit TableBounds(space::Machine const& machine);

    /// Whether this metric of the machine (a position in Machine::metrics) is given by a table.
    [[nodiscard]] bool gives(std::size_t metric) const { return places_.contains(metric); }
    /// Whether a metric that a table gives depends on the parameter.
    [[nodiscard]] bool depends(std::size_t metric, std::size_t parameter) const;
    /// The metrics that tables give.
    [[nodiscard]] std::vector<std::size_t> metrics() const;
    /// The smallest and the largest value of such a metric over the points of a box; nullopt if its table has no row
    /// for any of them.
    [[nodiscard]] std::optional<Ends> ends(std::size_t metric, Runs box) const;
    /// Whether some table has no row for any point of a box: all its points are infeasible.
    [[nodiscard]] bool lack_all_of(Runs box) const;

  private:
    /// Points that differ only in parameters that are not keys of a table.
    struct Design {
        std::vector<std::uint64_t> positions;  ///< on the axes of the keys
        std::vector<double> values;            ///< of the metrics of the table
    };
    struct Table {
        std::vector<std::size_t> keys;
        std::vector<Design> designs;
    };
    /// Where the values of a metric are.
    struct Place {
        std::size_t table = 0, value = 0;
    };

    void add(space::Machine const& machine, space::MachineTable const& table);
    [[nodiscard]] static bool is_in(Table const& table, Design const& design, Runs box);

    std::vector<Table> tables_;
    std::map<std::size_t, Place> places_;
};

}  // namespace pimdse::dse::search
