#pragma once

#include "models/cim_mesh/layer/by_column.hpp"
#include "models/cim_mesh/layer/meetings.hpp"

#include <algorithm>

namespace pimdse::models::cim_mesh {

/// What messages put on the rows of a mesh, from its first column to its last: as long as nothing changes, a column is
/// like the one before.
class WayLoads {
  public:
    struct Row {
        std::int32_t passing = 0;         ///< messages that start in a router, end there or pass it along the row
        std::int32_t east = 0, west = 0;  ///< of these, those that leave it so

        [[nodiscard]] std::int32_t along() const { return std::max(east, west); }
    };

    /// Refers to the ways as long as it lives. crowded: rows that most() leaves out.
    WayLoads(sim::noc::Mesh mesh, std::span<Way const> ways, std::vector<std::int32_t> const& crowded);

    /// From the column before to this one; the next column that is not like it.
    std::int32_t advance(std::int32_t col);
    [[nodiscard]] Row const& row(std::int32_t at) const { return rows_[static_cast<std::size_t>(at)]; }
    [[nodiscard]] std::span<Row const> rows() const { return rows_; }
    /// Of rows that are not crowded: the most that pass a router, and that leave it by one link.
    [[nodiscard]] std::int32_t most_passing() const { return passing_.most(); }
    [[nodiscard]] std::int32_t most_along() const { return along_.most(); }
    /// Messages that turn into a column or start there, and go on along it.
    [[nodiscard]] std::span<Way const> arriving(std::int32_t col) const { return arrivals_.at(col); }

  private:
    struct Change {
        std::int32_t row = 0;
        Row more;
    };

    /// The highest of all rows, whose numbers change by one.
    class Crest {
      public:
        Crest(std::int32_t rows, std::size_t highest) : rows_with_(highest + 1, 0) { rows_with_[0] = rows; }

        void change(std::int32_t before, std::int32_t now) {
            --rows_with_[static_cast<std::size_t>(before)];
            ++rows_with_[static_cast<std::size_t>(now)];
            most_ = std::max(most_, now);
            while (most_ > 0 && rows_with_[static_cast<std::size_t>(most_)] == 0) --most_;
        }
        [[nodiscard]] std::int32_t most() const { return most_; }

      private:
        std::vector<std::int32_t> rows_with_;  // so many
        std::int32_t most_ = 0;
    };

    static void each_change(Way const& way, auto const& visit);
    void apply(Change const& change);

    sim::noc::Mesh mesh_;
    std::vector<Row> rows_;
    std::vector<bool> crowded_;
    Crest passing_, along_;
    ByColumn<Change> changes_;
    ByColumn<Way> arrivals_;
};

}  // namespace pimdse::models::cim_mesh
