#pragma once

#include "models/cim_mesh/layer/tree_spans.hpp"
#include "models/cim_mesh/layer/way_loads.hpp"

namespace pimdse::models::cim_mesh {

/// Vectors of a token.
struct VectorLoads {
    std::int64_t busiest_link = 0;
    std::int64_t busiest_router = 0;  ///< that enter it, from its links and its own
};

/// Vectors from the hub of a tree to all its routers, or inwards from all of an area.
struct TreeTraffic {
    TreeSpans tree;
    std::int32_t vectors = 1;
    bool inwards = false;
    Area from{};  ///< of vectors that go inwards
};

/// What is on one mesh column, by row: entering its routers (and their own), and on the links that leave them.
class ColumnLoads {
  public:
    explicit ColumnLoads(std::int32_t rows);

    void clear();
    /// Trees, and messages along the column; what begins and ends is added up by settle().
    void add_tree(TreeTraffic const& traffic, TreeSpans::Stretch const& columns, std::int32_t col);
    void add_way(Way const& arriving);
    void settle();

    /// Of a settled column.
    void add_sum(OutputColumn const& column, std::int32_t col);
    void add(std::int32_t row, WayLoads::Row const& on) {
        at(entering_, row) += on.passing;
        at(east_, row) += on.east;
        at(west_, row) += on.west;
    }

    [[nodiscard]] std::int32_t entering(std::int32_t row) const { return entering_[static_cast<std::size_t>(row)]; }
    [[nodiscard]] std::int32_t east(std::int32_t row) const { return east_[static_cast<std::size_t>(row)]; }
    [[nodiscard]] std::int32_t west(std::int32_t row) const { return west_[static_cast<std::size_t>(row)]; }
    [[nodiscard]] std::int32_t most_up_or_down() const;
    [[nodiscard]] VectorLoads most() const;

  private:
    using Rows = std::vector<std::int32_t>;

    static std::int32_t& at(Rows& rows, std::int32_t row) { return rows[static_cast<std::size_t>(row)]; }
    /// From a row to another, that included.
    static void add(Rows& rows, std::int32_t first, std::int32_t last, std::int32_t load) {
        at(rows, first) += load;
        at(rows, last + 1) -= load;
    }
    void add_broadcast(Router hub, TreeSpans::Stretch const& columns, std::int32_t vectors);
    void add_sum_tree(TreeTraffic const& traffic, TreeSpans::Stretch const& columns, std::int32_t col);
    void add_along_row(TreeTraffic const& traffic, std::int32_t col);

    Rows entering_, north_, south_, east_, west_;  // a row more than there are
};

}  // namespace pimdse::models::cim_mesh
