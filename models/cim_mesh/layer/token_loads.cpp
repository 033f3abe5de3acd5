#include "models/cim_mesh/layer/token_loads.hpp"

#include <algorithm>

namespace pimdse::models::cim_mesh {
namespace {

/// Rows of hubs, each once.
std::vector<std::int32_t> hub_rows(std::vector<TreeTraffic> const& trees) {
    std::vector<std::int32_t> rows;
    for (auto const& traffic : trees) rows.push_back(traffic.tree.hub().row);
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    return rows;
}

/// Columns from which on all trees look alike up to the next, and the end.
std::vector<std::int32_t> begins_of(TokenTraffic const& traffic) {
    std::vector<std::int32_t> begins{0, traffic.mesh.cols};
    for (auto const& one : traffic.trees) {
        for (auto const& stretch : one.tree.stretches()) begins.push_back(stretch.left);
        begins.push_back(one.tree.right() + 1);
    }
    std::sort(begins.begin(), begins.end());
    begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
    return begins;
}

/// On such columns, by trees alone.
struct TreeLoad {
    struct HubRow {
        std::int32_t entering = 0, east = 0, west = 0;
    };
    std::int32_t entering = 0;     ///< a router on no hub's row
    std::int32_t up_or_down = 0;   ///< a link
    std::vector<HubRow> hub_rows;  ///< as hub_rows() says
};

/// Most partial sums that enter a router, its own among them, and that leave it by one link.
constexpr std::int32_t most_sums = 3, most_sums_by_link = 1;

class LoadSearch {
  public:
    explicit LoadSearch(TokenTraffic const& traffic)
        : traffic_(traffic),
          rows_(hub_rows(traffic.trees)),
          begins_(begins_of(traffic)),
          starts_(static_cast<std::size_t>(traffic.mesh.rows)),
          arrivals_(static_cast<std::size_t>(traffic.mesh.cols), 0),
          trees_(traffic.mesh.rows),
          column_(traffic.mesh.rows) {
        for (auto const& way : traffic.ways) {
            auto& row = starts_[static_cast<std::size_t>(way.from.row)];
            ++row.passing;
            row.east += way.from.col < way.to.col ? 1 : 0;
            row.west += way.from.col > way.to.col ? 1 : 0;
            if (way.from.row != way.to.row) ++arrivals_[static_cast<std::size_t>(way.to.col)];
        }
        for (std::int32_t row = 0; row < traffic.mesh.rows; ++row) {
            if (std::binary_search(rows_.begin(), rows_.end(), row)) continue;
            auto const& starts = starts_[static_cast<std::size_t>(row)];
            elsewhere_.passing = std::max(elsewhere_.passing, starts.passing);
            elsewhere_.along = std::max(elsewhere_.along, starts.along());
        }
    }

    /// Hubs first, which hardly anything exceeds; then one column of whatever might, since the next are like it; the
    /// rest that still might is looked at column by column.
    VectorLoads busiest() {
        for (std::size_t piece = 0; piece + 1 < begins_.size(); ++piece) look_at_trees(piece);
        look_at_hubs();
        std::vector<Most> most;
        for (std::size_t piece = 0; piece < tree_loads_.size(); ++piece) {
            most.push_back(most_in(piece));
            if (exceeds(most.back(), true)) look_closely((begins_[piece] + begins_[piece + 1]) / 2);
        }
        std::vector<bool> open(tree_loads_.size(), false);
        for (std::size_t piece = 0; piece < open.size(); ++piece)
            open[piece] = begins_[piece + 1] - begins_[piece] > 1 && exceeds(most[piece], true);
        if (std::find(open.begin(), open.end(), true) != open.end()) sweep(open);
        return most_;
    }

  private:
    /// No router and link of a column has more, but for partial sums; there are none along some rows.
    struct Most {
        std::int32_t link = 0, link_without_sums = 0, entering = 0;
    };

    /// On rows without a hub: messages that pass a router, and that leave it by one link.
    struct Elsewhere {
        std::int32_t passing = 0, along = 0;
    };

    void add_trees(std::size_t piece) {
        if (added_ == piece) return;
        trees_.clear();
        std::int32_t const col = begins_[piece];
        for (auto const& one : traffic_.trees) {
            if (auto const* columns = one.tree.at(col); columns != nullptr) trees_.add_tree(one, *columns, col);
        }
        added_ = piece;
    }

    void look_at_trees(std::size_t piece) {
        add_trees(piece);
        column_ = trees_;
        column_.settle();
        TreeLoad load;
        load.up_or_down = column_.most_up_or_down();
        auto hub = rows_.begin();
        for (std::int32_t row = 0; row < traffic_.mesh.rows; ++row) {
            if (hub == rows_.end() || row != *hub) {
                load.entering = std::max(load.entering, column_.entering(row));
                continue;
            }
            ++hub;
            load.hub_rows.push_back({column_.entering(row), column_.east(row), column_.west(row)});
        }
        tree_loads_.push_back(std::move(load));
    }

    void look_at_hubs() {
        std::vector<std::int32_t> cols;
        for (auto const& one : traffic_.trees) {
            std::int32_t const col = one.tree.hub().col;
            if (std::find(cols.begin(), cols.end(), col) == cols.end()) look_closely(cols.emplace_back(col));
        }
    }

    [[nodiscard]] bool exceeds(Most const& most, bool sums) const {
        std::int32_t const link = std::max(most.link + (sums ? most_sums_by_link : 0), most.link_without_sums);
        return link > most_.busiest_link || most.entering + (sums ? most_sums : 0) > most_.busiest_router;
    }
    /// `row(at)`: what is on a hub's row.
    [[nodiscard]] Most most_of(TreeLoad const& load, std::int32_t arriving, Elsewhere const& elsewhere,
                               auto const& row) const {
        Most most{std::max(elsewhere.along, load.up_or_down + arriving), 0, load.entering + elsewhere.passing};
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            auto const& hub = load.hub_rows[i];
            WayLoads::Row const on = row(rows_[i]);
            most.entering = std::max(most.entering, hub.entering + on.passing);
            auto& link = traffic_.sums->any_along(rows_[i]) ? most.link : most.link_without_sums;
            link = std::max({link, hub.east + on.east, hub.west + on.west});
        }
        most.entering += arriving;
        return most;
    }
    /// Of all columns of a piece: as if all that starts in a row passed everywhere.
    [[nodiscard]] Most most_in(std::size_t piece) const {
        auto const arriving =
            *std::max_element(arrivals_.begin() + begins_[piece], arrivals_.begin() + begins_[piece + 1]);
        return most_of(tree_loads_[piece], arriving, elsewhere_,
                       [&](std::int32_t row) { return starts_[static_cast<std::size_t>(row)]; });
    }

    void sweep(std::vector<bool> const& open) {
        WayLoads ways(traffic_.mesh, traffic_.ways, rows_);
        std::size_t piece = 0;
        for (std::int32_t col = 0; col < traffic_.mesh.cols;) {
            std::int32_t const change = ways.advance(col);
            for (std::int32_t end = 0; col < change; col = end) {
                while (begins_[piece + 1] <= col) ++piece;
                end = std::min(change, begins_[piece + 1]);
                if (open[piece]) look(ways, piece, col, end);
            }
        }
    }

    /// Columns that are alike but for partial sums.
    void look(WayLoads const& ways, std::size_t piece, std::int32_t first, std::int32_t end) {
        auto const most =
            most_of(tree_loads_[piece], static_cast<std::int32_t>(ways.arriving(first).size()),
                    {ways.most_passing(), ways.most_along()}, [&](std::int32_t row) { return ways.row(row); });
        bool plain = false;
        for (std::int32_t col = first; col < end; ++col) {
            if (!exceeds(most, true)) return;
            bool const sums = traffic_.sums->any(col);
            if (!sums && plain) continue;
            plain = plain || !sums;
            if (!exceeds(most, sums)) continue;
            add_trees(piece);
            column_ = trees_;
            for (auto const& way : ways.arriving(col)) column_.add_way(way);
            column_.settle();
            std::int32_t row = 0;
            for (auto const& on : ways.rows()) column_.add(row++, on);
            take_with_sums(col);
        }
    }

    void look_closely(std::int32_t col) {
        auto const piece = std::upper_bound(begins_.begin(), begins_.end(), col) - begins_.begin() - 1;
        add_trees(static_cast<std::size_t>(piece));
        column_ = trees_;
        for (auto const& way : traffic_.ways) {
            if (way.to.col == col) column_.add_way(way);
        }
        column_.settle();
        for (auto const& way : traffic_.ways) {
            std::int32_t const from = way.from.col, to = way.to.col;
            if (col < std::min(from, to) || col > std::max(from, to)) continue;
            column_.add(way.from.row, {1, from <= col && col < to ? 1 : 0, to < col && col <= from ? 1 : 0});
        }
        take_with_sums(col);
    }

    void take_with_sums(std::int32_t col) {
        traffic_.sums->each(col, [&](OutputColumn const& sum) { column_.add_sum(sum, col); });
        auto const loads = column_.most();
        most_.busiest_link = std::max(most_.busiest_link, loads.busiest_link);
        most_.busiest_router = std::max(most_.busiest_router, loads.busiest_router);
    }

    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    TokenTraffic const& traffic_;
    std::vector<std::int32_t> rows_, begins_;
    std::vector<TreeLoad> tree_loads_;    // by begins_
    std::vector<WayLoads::Row> starts_;   // messages that start in a row
    Elsewhere elsewhere_;                 // of these
    std::vector<std::int32_t> arrivals_;  // messages that go on along a column
    ColumnLoads trees_, column_;
    std::size_t added_ = none;  // whose trees are in trees_
    VectorLoads most_;
};

}  // namespace

VectorLoads loads_of(TokenTraffic const& traffic) { return LoadSearch(traffic).busiest(); }

}  // namespace pimdse::models::cim_mesh
