#include "models/cim_mesh/layer/token_loads.hpp"

#include <algorithm>
#include <numeric>

namespace pimdse::models::cim_mesh {

/// Loads of the rows of a mesh by messages, from the first column to the last one. A column equals the previous one
/// unless something changes.
class RouteLoads {
  public:
    struct Row {
        std::int32_t passing = 0;         ///< messages that start in a router, end there or pass it along the row
        std::int32_t east = 0, west = 0;  ///< those that leave it to the east, and to the west

        [[nodiscard]] std::int32_t along() const { return std::max(east, west); }
    };

    /// Keeps references to the routes. `crowded`: rows that max_passing() and max_along() omit.
    RouteLoads(sim::noc::Mesh mesh, std::span<Route const> routes, std::vector<std::int32_t> const& crowded);

    /// Advances from the previous column to this one. Returns the next column that differs from it.
    std::int32_t advance(std::int32_t col);
    [[nodiscard]] Row const& row(std::int32_t at) const { return rows_[static_cast<std::size_t>(at)]; }
    [[nodiscard]] std::span<Row const> rows() const { return rows_; }
    /// Maxima over the rows that are not crowded: of messages that pass a router, and that leave it by one link.
    [[nodiscard]] std::int32_t max_passing() const { return passing_.max(); }
    [[nodiscard]] std::int32_t max_along() const { return along_.max(); }
    /// Messages that turn into a column or start there, and continue along it.
    [[nodiscard]] std::span<Route const> arriving(std::int32_t col) const { return arrivals_.at(col); }

  private:
    struct Change {
        std::int32_t row = 0;
        Row more;
    };

    /// The maximum of a number per row; the numbers change by one.
    class Crest {
      public:
        Crest(std::int32_t rows, std::size_t highest) : rows_with_(highest + 1, 0) { rows_with_[0] = rows; }

        void change(std::int32_t before, std::int32_t now) {
            --rows_with_[static_cast<std::size_t>(before)];
            ++rows_with_[static_cast<std::size_t>(now)];
            max_ = std::max(max_, now);
            while (max_ > 0 && rows_with_[static_cast<std::size_t>(max_)] == 0) --max_;
        }
        [[nodiscard]] std::int32_t max() const { return max_; }

      private:
        std::vector<std::int32_t> rows_with_;  // number of rows by their number
        std::int32_t max_ = 0;
    };

    static void each_change(Route const& route, auto const& visit);
    void apply(Change const& change);

    sim::noc::Mesh mesh_;
    std::vector<Row> rows_;
    std::vector<bool> crowded_;
    Crest passing_, along_;
    ByColumn<Change> changes_;
    ByColumn<Route> arrivals_;
};

/// Loads of one mesh column by row: vectors that enter its routers or start there, and vectors on the links that leave
/// them.
class ColumnLoads {
  public:
    explicit ColumnLoads(std::int32_t rows);

    void clear();
    /// Trees, and messages along the column. settle() sums up their starts and ends.
    void add_tree(TreeTraffic const& traffic, TreeSpans::Stretch const& columns, std::int32_t col);
    void add_route(Route const& arriving);
    void settle();

    /// For a settled column only.
    void add_sum(OutputColumn const& column, std::int32_t col);
    void add(std::int32_t row, RouteLoads::Row const& on) {
        at(entering_, row) += on.passing;
        at(east_, row) += on.east;
        at(west_, row) += on.west;
    }

    [[nodiscard]] std::int32_t entering(std::int32_t row) const { return entering_[static_cast<std::size_t>(row)]; }
    [[nodiscard]] std::int32_t east(std::int32_t row) const { return east_[static_cast<std::size_t>(row)]; }
    [[nodiscard]] std::int32_t west(std::int32_t row) const { return west_[static_cast<std::size_t>(row)]; }
    [[nodiscard]] std::int32_t max_up_or_down() const;
    [[nodiscard]] VectorLoads max() const;

  private:
    using Rows = std::vector<std::int32_t>;

    static std::int32_t& at(Rows& rows, std::int32_t row) { return rows[static_cast<std::size_t>(row)]; }
    /// Adds a load to the rows from `first` to `last`, inclusive.
    static void add(Rows& rows, std::int32_t first, std::int32_t last, std::int32_t load) {
        at(rows, first) += load;
        at(rows, last + 1) -= load;
    }
    void add_broadcast(Router hub, TreeSpans::Stretch const& columns, std::int32_t vectors);
    void add_sum_tree(TreeTraffic const& traffic, TreeSpans::Stretch const& columns, std::int32_t col);
    void add_along_row(TreeTraffic const& traffic, std::int32_t col);

    Rows entering_, north_, south_, east_, west_;  // with one additional row
};

namespace {

/// Rows of hubs, without duplicates.
std::vector<std::int32_t> hub_rows(std::vector<TreeTraffic> const& trees) {
    std::vector<std::int32_t> rows;
    for (auto const& traffic : trees) rows.push_back(traffic.tree.hub().row);
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    return rows;
}

/// Columns from which on all trees are equal up to the next such column, and the end of the mesh.
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

/// Loads of such columns by trees alone.
struct TreeLoad {
    struct HubRow {
        std::int32_t entering = 0, east = 0, west = 0;
    };
    std::int32_t entering = 0;     ///< largest load of a router outside the rows of hubs
    std::int32_t up_or_down = 0;   ///< largest load of a vertical link
    std::vector<HubRow> hub_rows;  ///< in the order of hub_rows()
};

/// Largest numbers of partial sums that enter a router, including its own, and that leave it by one link.
constexpr std::int32_t max_sums = 3, max_sums_by_link = 1;

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
        for (auto const& route : traffic.routes) {
            auto& row = starts_[static_cast<std::size_t>(route.from.row)];
            ++row.passing;
            row.east += route.from.col < route.to.col ? 1 : 0;
            row.west += route.from.col > route.to.col ? 1 : 0;
            if (route.from.row != route.to.row) ++arrivals_[static_cast<std::size_t>(route.to.col)];
        }
        for (std::int32_t row = 0; row < traffic.mesh.rows; ++row) {
            if (std::binary_search(rows_.begin(), rows_.end(), row)) continue;
            auto const& starts = starts_[static_cast<std::size_t>(row)];
            elsewhere_.passing = std::max(elsewhere_.passing, starts.passing);
            elsewhere_.along = std::max(elsewhere_.along, starts.along());
        }
    }

    /// Evaluates the columns of hubs first, which are nearly always the busiest; then one column of each piece that may
    /// exceed them, since its other columns are similar; then the remaining pieces that may exceed the maximum, column
    /// by column.
    VectorLoads busiest() {
        for (std::size_t piece = 0; piece + 1 < begins_.size(); ++piece) add_tree_load(piece);
        evaluate_hubs();
        std::vector<Maximum> max;
        for (std::size_t piece = 0; piece < tree_loads_.size(); ++piece) {
            max.push_back(max_in(piece));
            if (exceeds(max.back(), true)) evaluate_column((begins_[piece] + begins_[piece + 1]) / 2);
        }
        std::vector<bool> open(tree_loads_.size(), false);
        for (std::size_t piece = 0; piece < open.size(); ++piece)
            open[piece] = begins_[piece + 1] - begins_[piece] > 1 && exceeds(max[piece], true);
        if (std::find(open.begin(), open.end(), true) != open.end()) sweep(open);
        return max_;
    }

  private:
    /// Upper bounds of the loads of links and routers, without partial sums; along some rows there are no partial sums.
    struct Maximum {
        std::int32_t link = 0, link_without_sums = 0, entering = 0;
    };

    /// Largest loads on rows without a hub: messages that pass a router, and that leave it by one link.
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

    void add_tree_load(std::size_t piece) {
        add_trees(piece);
        column_ = trees_;
        column_.settle();
        TreeLoad load;
        load.up_or_down = column_.max_up_or_down();
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

    void evaluate_hubs() {
        std::vector<std::int32_t> cols;
        for (auto const& one : traffic_.trees) {
            std::int32_t const col = one.tree.hub().col;
            if (std::find(cols.begin(), cols.end(), col) == cols.end()) evaluate_column(cols.emplace_back(col));
        }
    }

    [[nodiscard]] bool exceeds(Maximum const& max, bool sums) const {
        std::int32_t const link = std::max(max.link + (sums ? max_sums_by_link : 0), max.link_without_sums);
        return link > max_.busiest_link || max.entering + (sums ? max_sums : 0) > max_.busiest_router;
    }
    /// `row(at)`: load of messages on the row of a hub.
    [[nodiscard]] Maximum max_of(TreeLoad const& load, std::int32_t arriving, Elsewhere const& elsewhere,
                                 auto const& row) const {
        Maximum max{std::max(elsewhere.along, load.up_or_down + arriving), 0, load.entering + elsewhere.passing};
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            auto const& hub = load.hub_rows[i];
            RouteLoads::Row const on = row(rows_[i]);
            max.entering = std::max(max.entering, hub.entering + on.passing);
            auto& link = traffic_.sums->any_along(rows_[i]) ? max.link : max.link_without_sums;
            link = std::max({link, hub.east + on.east, hub.west + on.west});
        }
        max.entering += arriving;
        return max;
    }
    /// Upper bounds for all columns of a piece, as if every message that starts in a row passed all its routers.
    [[nodiscard]] Maximum max_in(std::size_t piece) const {
        auto const arriving =
            *std::max_element(arrivals_.begin() + begins_[piece], arrivals_.begin() + begins_[piece + 1]);
        return max_of(tree_loads_[piece], arriving, elsewhere_,
                      [&](std::int32_t row) { return starts_[static_cast<std::size_t>(row)]; });
    }

    void sweep(std::vector<bool> const& open) {
        RouteLoads routes(traffic_.mesh, traffic_.routes, rows_);
        std::size_t piece = 0;
        for (std::int32_t col = 0; col < traffic_.mesh.cols;) {
            std::int32_t const change = routes.advance(col);
            for (std::int32_t end = 0; col < change; col = end) {
                while (begins_[piece + 1] <= col) ++piece;
                end = std::min(change, begins_[piece + 1]);
                if (open[piece]) evaluate_columns(routes, piece, col, end);
            }
        }
    }

    /// Evaluates columns that are equal except for partial sums, if they may exceed the maximum.
    void evaluate_columns(RouteLoads const& routes, std::size_t piece, std::int32_t first, std::int32_t end) {
        auto const max =
            max_of(tree_loads_[piece], static_cast<std::int32_t>(routes.arriving(first).size()),
                   {routes.max_passing(), routes.max_along()}, [&](std::int32_t row) { return routes.row(row); });
        bool plain = false;
        for (std::int32_t col = first; col < end; ++col) {
            if (!exceeds(max, true)) return;
            bool const sums = traffic_.sums->any(col);
            if (!sums && plain) continue;
            plain = plain || !sums;
            if (!exceeds(max, sums)) continue;
            add_trees(piece);
            column_ = trees_;
            for (auto const& route : routes.arriving(col)) column_.add_route(route);
            column_.settle();
            std::int32_t row = 0;
            for (auto const& on : routes.rows()) column_.add(row++, on);
            update_maximum_with_sums(col);
        }
    }

    void evaluate_column(std::int32_t col) {
        auto const piece = std::upper_bound(begins_.begin(), begins_.end(), col) - begins_.begin() - 1;
        add_trees(static_cast<std::size_t>(piece));
        column_ = trees_;
        for (auto const& route : traffic_.routes) {
            if (route.to.col == col) column_.add_route(route);
        }
        column_.settle();
        for (auto const& route : traffic_.routes) {
            std::int32_t const from = route.from.col, to = route.to.col;
            if (col < std::min(from, to) || col > std::max(from, to)) continue;
            column_.add(route.from.row, {1, from <= col && col < to ? 1 : 0, to < col && col <= from ? 1 : 0});
        }
        update_maximum_with_sums(col);
    }

    void update_maximum_with_sums(std::int32_t col) {
        traffic_.sums->each(col, [&](OutputColumn const& sum) { column_.add_sum(sum, col); });
        auto const loads = column_.max();
        max_.busiest_link = std::max(max_.busiest_link, loads.busiest_link);
        max_.busiest_router = std::max(max_.busiest_router, loads.busiest_router);
    }

    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    TokenTraffic const& traffic_;
    std::vector<std::int32_t> rows_, begins_;
    std::vector<TreeLoad> tree_loads_;     // by piece between begins_
    std::vector<RouteLoads::Row> starts_;  // messages that start in a row
    Elsewhere elsewhere_;                  // maxima of starts_
    std::vector<std::int32_t> arrivals_;   // messages that continue along a column
    ColumnLoads trees_, column_;
    std::size_t added_ = none;  // the piece whose trees are in trees_
    VectorLoads max_;
};

}  // namespace

VectorLoads loads_of(TokenTraffic const& traffic) { return LoadSearch(traffic).busiest(); }

ColumnLoads::ColumnLoads(std::int32_t rows) {
    for (auto* loads : {&entering_, &north_, &south_, &east_, &west_})
        loads->resize(static_cast<std::size_t>(rows) + 1);
}

void ColumnLoads::clear() {
    for (auto* loads : {&entering_, &north_, &south_, &east_, &west_}) std::fill(loads->begin(), loads->end(), 0);
}

void ColumnLoads::settle() {
    for (auto* loads : {&entering_, &north_, &south_}) std::partial_sum(loads->begin(), loads->end(), loads->begin());
}

void ColumnLoads::add_tree(TreeTraffic const& traffic, TreeSpans::Stretch const& columns, std::int32_t col) {
    if (!traffic.inwards)
        add_broadcast(traffic.tree.hub(), columns, traffic.vectors);
    else
        add_sum_tree(traffic, columns, col);
    add_along_row(traffic, col);
}

/// Every router receives the vectors once; in the hub they start.
void ColumnLoads::add_broadcast(Router hub, TreeSpans::Stretch const& columns, std::int32_t vectors) {
    add(entering_, columns.top, columns.bottom, vectors);
    add(north_, columns.top + 1, hub.row, vectors);
    add(south_, hub.row, columns.bottom - 1, vectors);
}

/// Vectors enter by every link of the tree, and start in every router of the area.
void ColumnLoads::add_sum_tree(TreeTraffic const& traffic, TreeSpans::Stretch const& columns, std::int32_t col) {
    std::int32_t const row = traffic.tree.hub().row, hub = traffic.tree.hub().col, vectors = traffic.vectors;
    add(south_, columns.top, row - 1, vectors);
    add(north_, row + 1, columns.bottom, vectors);
    add(entering_, columns.top + 1, row, vectors);
    add(entering_, row, columns.bottom - 1, vectors);
    if (col <= hub && col > traffic.tree.left()) add(entering_, row, row, vectors);
    if (col >= hub && col < traffic.tree.right()) add(entering_, row, row, vectors);
    for (auto const& part : traffic.from.rectangles()) {
        if (part.left <= col && col <= part.right()) add(entering_, part.top, part.bottom(), vectors);
    }
}

void ColumnLoads::add_along_row(TreeTraffic const& traffic, std::int32_t col) {
    auto const hub = traffic.tree.hub();
    bool const outwards = !traffic.inwards, in_left = col<hub.col, in_right = col> hub.col;
    bool const left_of = outwards ? col <= hub.col && col > traffic.tree.left() : in_right;
    bool const right_of = outwards ? col >= hub.col && col < traffic.tree.right() : in_left;
    if (left_of) at(west_, hub.row) += traffic.vectors;
    if (right_of) at(east_, hub.row) += traffic.vectors;
}

/// The part of a route along its destination column, after the router where it turns.
void ColumnLoads::add_route(Route const& arriving) {
    std::int32_t const from = arriving.from.row, to = arriving.to.row;
    if (from < to) {
        add(south_, from, to - 1, 1);
        add(entering_, from + 1, to, 1);
    } else {
        add(north_, to + 1, from, 1);
        add(entering_, to, from - 1, 1);
    }
}

/// A router forwards its sum towards the middle; a sum to another mesh column leaves along the row.
void ColumnLoads::add_sum(OutputColumn const& column, std::int32_t col) {
    auto const& path = column.path;
    std::int32_t const fold = col - path.left, half = path.length / 2;
    std::int32_t const root = column.backwards ? path.length - 1 - half : half;
    std::int32_t const first = std::max(0, fold * path.height - path.first);
    std::int32_t const last = std::min(path.length, (fold + 1) * path.height - path.first) - 1;
    bool const down = fold % 2 == 0;
    for (std::int32_t i = first; i <= last; ++i) {
        std::int32_t const along = path.first + i - fold * path.height;
        std::int32_t const row = path.top + (down ? along : path.height - 1 - along);
        at(entering_, row) += 1 + (0 < i && i <= root ? 1 : 0) + (root <= i && i < path.length - 1 ? 1 : 0);
        if (i < root) ++at(i == last ? east_ : down ? south_ : north_, row);
        if (i > root) ++at(i == first ? west_ : down ? north_ : south_, row);
    }
}

std::int32_t ColumnLoads::max_up_or_down() const {
    return std::max(*std::max_element(north_.begin(), north_.end()), *std::max_element(south_.begin(), south_.end()));
}

VectorLoads ColumnLoads::max() const {
    return {std::max({max_up_or_down(), *std::max_element(east_.begin(), east_.end()),
                      *std::max_element(west_.begin(), west_.end())}),
            *std::max_element(entering_.begin(), entering_.end())};
}

ColumnSums::ColumnSums(sim::noc::Mesh mesh, std::span<OutputColumn const* const> columns)
    : by_left_(mesh.cols,
               [&](auto const& visit) {
                   for (auto const* column : columns)
                       visit(column->path.left_col(), {column->path.right_col(), column});
               }),
      any_(static_cast<std::size_t>(mesh.cols), false),
      any_along_(static_cast<std::size_t>(mesh.rows), false) {
    for (auto const* column : columns) {
        std::int32_t const left = column->path.left_col(), right = column->path.right_col();
        max_behind_ = std::max(max_behind_, right - left);
        if (left < right) {
            any_along_[static_cast<std::size_t>(column->path.top)] = true;
            any_along_[static_cast<std::size_t>(column->path.top + column->path.height - 1)] = true;
        }
        std::fill(any_.begin() + left, any_.begin() + right + 1, true);
    }
}

/// Calls `visit(col, change)` for the changes of row loads at the start and at the end of a route.
void RouteLoads::each_change(Route const& route, auto const& visit) {
    std::int32_t const row = route.from.row, from = route.from.col, to = route.to.col;
    if (from == to) {
        visit(from, Change{row, {1, 0, 0}});
        visit(from + 1, Change{row, {-1, 0, 0}});
    } else if (from < to) {
        visit(from, Change{row, {1, 1, 0}});
        visit(to, Change{row, {0, -1, 0}});
        visit(to + 1, Change{row, {-1, 0, 0}});
    } else {
        visit(to, Change{row, {1, 0, 0}});
        visit(to + 1, Change{row, {0, 0, 1}});
        visit(from + 1, Change{row, {-1, 0, -1}});
    }
}

RouteLoads::RouteLoads(sim::noc::Mesh mesh, std::span<Route const> routes, std::vector<std::int32_t> const& crowded)
    : mesh_(mesh),
      rows_(static_cast<std::size_t>(mesh.rows)),
      crowded_(rows_.size(), false),
      passing_(mesh.rows, routes.size()),
      along_(mesh.rows, routes.size()),
      changes_(mesh.cols,
               [&](auto const& visit) {
                   for (auto const& route : routes) each_change(route, visit);
               }),
      arrivals_(mesh.cols, [&](auto const& visit) {
          for (auto const& route : routes) {
              if (route.from.row != route.to.row) visit(route.to.col, route);
          }
      }) {
    for (auto const row : crowded) crowded_[static_cast<std::size_t>(row)] = true;
}

std::int32_t RouteLoads::advance(std::int32_t col) {
    for (auto const& change : changes_.at(col)) apply(change);
    std::int32_t next = col + 1;
    while (next < mesh_.cols && changes_.at(next).empty()) ++next;
    return next;
}

void RouteLoads::apply(Change const& change) {
    auto& row = rows_[static_cast<std::size_t>(change.row)];
    auto const before = row;
    row.passing += change.more.passing;
    row.east += change.more.east;
    row.west += change.more.west;
    if (crowded_[static_cast<std::size_t>(change.row)]) return;
    passing_.change(before.passing, row.passing);
    along_.change(before.along(), row.along());
}

}  // namespace pimdse::models::cim_mesh
