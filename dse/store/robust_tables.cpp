#include "dse/store/robust_tables.hpp"

#include "dse/store/result_schema.hpp"
#include "dse/store/result_tables.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <concepts>
#include <deque>
#include <functional>
#include <type_traits>

namespace pimdse::dse::store::tables {
namespace {

using hdf5::Group;
using search::Distribution;
using search::RobustFront;

constexpr std::array<Distribution, 4> distributions{Distribution::uniform, Distribution::log_uniform,
                                                    Distribution::normal, Distribution::choices};

// How a member is stored, and taken from the file; `group` reports damage.

template <class T>
T stored(T const& value) {
    return value;
}
std::uint8_t stored(bool value) { return value ? 1 : 0; }
std::uint64_t stored(space::PointId id) { return index_of(id); }
std::string stored(Distribution kind) { return std::string(name_of(kind)); }

template <class T>
void take(Group const&, std::string const&, T&& value, T& into) {
    into = std::move(value);
}
void take(Group const& group, std::string const& name, std::uint8_t value, bool& into) {
    if (value > 1) group.damaged(name + " is not 0 or 1");
    into = value != 0;
}
void take(Group const&, std::string const&, std::uint64_t value, space::PointId& into) { into = space::PointId{value}; }
void take(Group const& group, std::string const&, std::string const& value, Distribution& into) {
    auto const kind = std::ranges::find(distributions, value, [](auto one) { return name_of(one); });
    if (kind == distributions.end()) group.damaged("unknown distribution");
    into = *kind;
}

/// A group of the file whose columns have a row for each element of some vectors of a RobustFront. Each function takes
/// what it names to the file, or from the file if Front is not const: one description serves both.
template <class Front>
class RobustTable {
  public:
    static constexpr bool reads = !std::is_const_v<Front>;
    using Parent = std::conditional_t<reads, Group const, Group>;

    RobustTable(Parent& parent, std::string const& name) : group_(of(parent, name)) {}

    [[nodiscard]] Parent& group() { return group_; }
    void meaning(std::string_view text) {
        if constexpr (!reads) group_.attribute("meaning", text);
    }
    template <class T>
    void attribute(std::string const& name, T& value) {
        if constexpr (!reads)
            group_.attribute(name, value);
        else if constexpr (std::same_as<T, std::string>)
            value = group_.text(name);
        else if constexpr (std::same_as<T, std::uint64_t>)
            value = group_.number(name);
        else
            value = group_.texts(name);
    }
    /// A member of every row. The first column that is read says how many rows there are.
    template <class Rows, class Get>
    void column(std::string const& name, Rows& rows, Get const& get) {
        using Member = std::remove_cvref_t<decltype(std::invoke(get, rows[0]))>;
        using Stored = decltype(stored(std::declval<Member const&>()));
        constexpr bool is_text = std::same_as<Stored, std::string>;
        std::vector<Stored> values;
        if constexpr (reads) {
            if constexpr (is_text)
                values = group_.open_column(name).read_texts();
            else
                values = group_.open_column(name).template read<Stored>();
            if (!sized_) rows.resize(values.size());
            sized_ = true;
            if (values.size() != rows.size()) group_.damaged("columns of different length");
            for (std::size_t i = 0; i < rows.size(); ++i)
                take(group_, name, std::move(values[i]), std::invoke(get, rows[i]));
        } else {
            for (auto const& row : rows) values.push_back(stored(std::invoke(get, row)));
            if constexpr (is_text)
                group_.put_texts(name, values);
            else
                group_.put(name, values);
        }
    }
    /// A column with a number of rows of its own.
    template <class Rows>
    void list(std::string const& name, Rows& rows) {
        sized_ = false;
        column(name, rows, std::identity{});
    }

  private:
    static Group of(Parent& parent, std::string const& name) {
        if constexpr (reads)
            return parent.open_group(name);
        else
            return parent.create_group(name);
    }

    Group group_;
    bool sized_ = false;  ///< whether the number of rows is known
};

template <class Front>
void constants(RobustTable<Front>& root, Front& front) {
    using Constant = search::UncertainConstant;
    RobustTable<Front> table(root.group(), "constants");
    auto& rows = front.constants;
    table.column("name", rows, &Constant::name);
    table.column("unit", rows, &Constant::unit);
    table.column("source", rows, &Constant::source);
    table.column("distribution", rows, &Constant::distribution);
    table.column("nominal", rows, &Constant::nominal);
    table.column("lower", rows, &Constant::lower);
    table.column("upper", rows, &Constant::upper);
    table.column("mean", rows, &Constant::mean);
    table.column("deviation", rows, &Constant::deviation);
    table.column("whole", rows, &Constant::whole);
    std::deque<bool> effective(front.effective.begin(), front.effective.end());
    effective.resize(rows.size());
    table.column("effective", effective, std::identity{});
    if constexpr (table.reads) front.effective.assign(effective.begin(), effective.end());
    table.meaning("numbers in SI; `unit` is that of texts; effective: a result depends on it");
}

template <class Front>
void draws(RobustTable<Front>& root, Front& front) {
    RobustTable<Front> table(root.group(), "draws");
    table.meaning("one column per constant, by its position in constants; one row per draw; SI");
    table.column("front_size", front.front_sizes, std::identity{});
    if constexpr (table.reads)
        front.draws.assign(front.front_sizes.size(), std::vector<double>(front.constants.size()));
    for (std::size_t c = 0; c < front.constants.size(); ++c)
        table.column(
            fmt::format("{:04}", c), front.draws, [c](auto& values) -> auto& { return values[c]; });
}

template <class Front>
void designs(RobustTable<Front>& root, Front& front) {
    using search::RobustDesign;
    RobustTable<Front> table(root.group(), "designs");
    table.meaning(
        "designs on the front as assumed (now), in a draw, or for all constants (certain); regret: by which share "
        "every objective is behind the front in the worst draw; quantiles of each objective, SI");
    auto& rows = front.designs;
    table.column(table.reads ? name_of_points(table.group()) : points_of_group, rows, &RobustDesign::point);
    table.column("now", rows, &RobustDesign::now);
    table.column("certain", rows, &RobustDesign::certain);
    table.column("draws_on_front", rows, &RobustDesign::draws_on_front);
    std::vector<double> shares;
    for (auto const& row : rows)
        shares.push_back(static_cast<double>(row.draws_on_front) / static_cast<double>(front.draws.size()));
    auto const follow = shares;
    table.column("front_share", shares, std::identity{});
    if (table.reads && shares != follow) table.group().damaged("front_share is not the share of the draws");
    table.column("regret", rows, &RobustDesign::regret);
    if constexpr (table.reads)
        for (auto& row : rows) row.quantiles.resize(front.objectives.size());
    for (std::size_t o = 0; o < front.objectives.size(); ++o) {
        auto const name = schema::dataset_name(front.objectives[o]);
        for (std::size_t q = 0; q < search::quantile_probabilities.size(); ++q)
            table.column(
                fmt::format("{}_q{:02.0f}", name, 100.0 * search::quantile_probabilities[q]), rows,
                [ o, q ](auto& row) -> auto& { return row.quantiles[o][q]; });
    }
}

template <class Front>
void machines(RobustTable<Front>& root, Front& front) {
    using search::MachineStanding;
    RobustTable<Front> table(root.group(), "machines");
    table.meaning(
        "number of draws in which a machine has a design on the front, or the best in an objective, or none that is "
        "feasible, of those that the ends of the ranges do not exclude");
    auto& rows = front.machines;
    table.column("name", rows, &MachineStanding::name);
    table.column("draws_on_front", rows, &MachineStanding::draws_on_front);
    table.column("draws_infeasible", rows, &MachineStanding::draws_infeasible);
    if constexpr (table.reads)
        for (auto& row : rows) row.draws_best.resize(front.objectives.size());
    for (std::size_t o = 0; o < front.objectives.size(); ++o)
        table.column(
            "best_" + schema::dataset_name(front.objectives[o]),
            rows, [o](auto& row) -> auto& { return row.draws_best[o]; });
}

template <class Front>
void decisions(RobustTable<Front>& root, Front& front) {
    using search::Decision;
    RobustTable<Front> table(root.group(), "decisions");
    table.meaning("parameters with one value in every design of a machine that is on a front of any draw");
    table.column("machine", front.decisions, &Decision::machine);
    table.column("parameter", front.decisions, &Decision::parameter);
    table.column("value", front.decisions, &Decision::value);
}

template <class Front>
void flips(RobustTable<Front>& root, Front& front) {
    using search::MachineFlip;
    RobustTable<Front> table(root.group(), "flips");
    table.meaning(
        "values of one constant at which another machine becomes the best in an objective; positions in constants, "
        "objectives and machines; SI; both designs were evaluated there");
    auto& rows = front.flips;
    table.column("constant", rows, &MachineFlip::constant);
    table.column("objective", rows, &MachineFlip::objective);
    table.column("before", rows, &MachineFlip::before);
    table.column("after", rows, &MachineFlip::after);
    table.column("break_even", rows, &MachineFlip::break_even);
    table.column("old_best", rows, &MachineFlip::old_best);
    table.column("new_best", rows, &MachineFlip::new_best);
    table.column("old_value", rows, &MachineFlip::old_value);
    table.column("new_value", rows, &MachineFlip::new_value);
    for (auto const& flip : rows)
        if (flip.constant >= front.constants.size() || flip.objective >= front.objectives.size() ||
            flip.before >= front.machines.size() || flip.after >= front.machines.size())
            table.group().damaged("a position is out of range");
}

template <class Front, class Parent>
void robust_front(Parent& root, Front& front) {
    RobustTable<Front> table(root, "uncertain");
    table.meaning("the front when constants of the machines are known within ranges only");
    table.attribute("statement", front.statement);
    table.attribute("key", front.key);
    table.attribute("objectives", front.objectives);
    table.attribute("seed", front.seed);
    table.attribute("refused_draws", front.refused_draws);
    table.attribute("considered", front.designs_considered);
    table.attribute("excluded", front.designs_excluded);
    table.attribute("linear", front.designs_linear);
    table.attribute("evaluated", front.designs_evaluated);
    table.list("remarks", front.remarks);
    table.list("not_stated", front.not_stated);
    constants(table, front);
    draws(table, front);
    designs(table, front);
    table.list("possible", front.possible);
    machines(table, front);
    decisions(table, front);
    flips(table, front);
}

}  // namespace

void write_robust_front(Group& root, RobustFront const& front) { robust_front(root, front); }

std::optional<RobustFront> read_robust_front(Group const& root) {
    if (!root.has("uncertain")) return std::nullopt;
    RobustFront front;
    robust_front(root, front);
    return front;
}

}  // namespace pimdse::dse::store::tables
