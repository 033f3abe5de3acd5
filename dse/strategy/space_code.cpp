#include "dse/strategy/space_code.hpp"

#include "dse/space/space.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <numeric>

namespace pimdse::dse::strategy {
namespace {

using genetic::Gene;
using models::Kind;

Gene gene_of(space::Axis const& axis, models::Parameter const& parameter) {
    auto const kind = axis.at(0).kind();
    std::size_t const items = parameter.items.size();
    if (kind == Kind::permutation && items >= 1 && items <= 20 && axis.size() == sim::factorial(items))
        return {Gene::Kind::ordering, axis.size(), items};
    bool const numeric = kind == Kind::integer || kind == Kind::quantity;
    return {numeric ? Gene::Kind::ordinal : Gene::Kind::choice, axis.size(), 0};
}

std::vector<genetic::Genome> genomes_of(space::Space const& space) {
    std::vector<genetic::Genome> genomes;
    for (auto const& machine : space.machines()) {
        auto& genome = genomes.emplace_back();
        for (std::size_t i = 0; i < machine.axes.size(); ++i)
            genome.push_back(gene_of(machine.axes[i], machine.parameters()[i]));
    }
    return genomes;
}

}  // namespace

SpaceCode::SpaceCode(space::Space const& space) : genomes_(genomes_of(space)) {
    for (std::size_t machine = 0; machine < space.machines().size(); ++machine) {
        auto& orders = orders_.emplace_back();
        for (std::size_t axis = 0; axis < space.machines()[machine].axes.size(); ++axis)
            orders.push_back(order_of(space, machine, axis));
    }
}

SpaceCode::Order SpaceCode::order_of(space::Space const& space, std::size_t machine, std::size_t axis) {
    auto const& values = space.machines()[machine].axes[axis];
    auto const kind = values.at(0).kind();
    if (kind != Kind::integer && kind != Kind::quantity) return {};
    Order order;
    order.places.resize(values.size());
    std::iota(order.places.begin(), order.places.end(), std::uint64_t{0});
    auto const less = [&](std::uint64_t a, std::uint64_t b) { return values.at(a) < values.at(b); };
    if (std::ranges::is_sorted(order.places, less)) return {};
    std::ranges::sort(order.places, less);
    order.ranks.resize(values.size());
    for (std::uint64_t rank = 0; rank < order.places.size(); ++rank) order.ranks[order.places[rank]] = rank;
    return order;
}

task::PointId SpaceCode::id_of(genetic::CodedPoint point) const {
    auto const& orders = orders_[point.genome];
    for (std::size_t i = 0; i < orders.size(); ++i) {
        if (!orders[i].places.empty()) point.values[i] = orders[i].places[point.values[i]];
    }
    return task::PointId{genomes_.key(point)};
}

genetic::CodedPoint SpaceCode::point_of(task::PointId id) const {
    auto point = genomes_.at(index_of(id));
    auto const& orders = orders_[point.genome];
    for (std::size_t i = 0; i < orders.size(); ++i) {
        if (!orders[i].ranks.empty()) point.values[i] = orders[i].ranks[point.values[i]];
    }
    return point;
}

}  // namespace pimdse::dse::strategy
