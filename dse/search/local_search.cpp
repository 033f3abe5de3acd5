#include "dse/search/local_search.hpp"

#include "sim/base/check.hpp"

#include <algorithm>

namespace pimdse::dse::search {
namespace {

bool is_member(ParetoTree const& archive, std::uint64_t serial, ParetoTree::Vector const& values) {
    auto const* dominator = archive.dominator(values);
    return dominator != nullptr && index_of(dominator->point) == serial;
}

std::uint64_t swaps_of(std::size_t items) { return items * (items - 1) / 2; }

/// Insertions by one place are swaps and are not counted again.
std::uint64_t insertions_of(std::size_t items) { return items < 3 ? 0 : (items - 1) * (items - 2); }

std::uint64_t neighbours_along(std::uint64_t value, Gene const& gene) {
    switch (gene.kind) {
        case Gene::Kind::ordinal:
            return (value > 0 ? 1 : 0) + (value + 1 < gene.values ? 1 : 0);
        case Gene::Kind::choice:
            return gene.values - 1;
        case Gene::Kind::ordering:
            return swaps_of(gene.items) + insertions_of(gene.items);
    }
    return 0;
}

void swap_pair(Ordering& ordering, std::uint64_t pair) {
    std::size_t second = 1;
    for (; pair >= second; ++second) pair -= second;
    std::swap(ordering[pair], ordering[second]);
}

void insert_pair(Ordering& ordering, std::uint64_t pair) {
    for (std::size_t from = 0; from < ordering.size(); ++from) {
        for (std::size_t to = 0; to < ordering.size(); ++to) {
            if (to + 1 >= from && to <= from + 1) continue;
            if (pair-- == 0) return insert_elsewhere(ordering, from, to);
        }
    }
}

std::uint64_t stepped(std::uint64_t value, Gene const& gene, std::uint64_t index) {
    if (gene.kind == Gene::Kind::ordinal) return index == 0 && value > 0 ? value - 1 : value + 1;
    if (gene.kind == Gene::Kind::choice) return index < value ? index : index + 1;
    auto ordering = ordering_of(value, gene.items);
    std::uint64_t const swaps = swaps_of(gene.items);
    if (index < swaps)
        swap_pair(ordering, index);
    else
        insert_pair(ordering, index - swaps);
    return rank_of(ordering);
}

}  // namespace

LocalSearch::LocalSearch(Genomes const& genomes, Settings settings)
    : genomes_(genomes),
      settings_(std::move(settings)),
      rng_(settings_.seed),
      duplicates_(genomes, settings_.seed),
      best_(settings_.objectives),
      round_(settings_.objectives) {}

std::optional<CodedPoint> LocalSearch::ask() {
    if (begun_ < settings_.starts) return start();
    if (auto point = next_neighbour()) return point;
    if (in_flight_ > 0 || (round_.size() > 0 && !settings_.again)) return std::nullopt;
    begin_round();
    return start();
}

std::optional<CodedPoint> LocalSearch::start() {
    auto point = duplicates_.take_random(rng_);
    begun_ = point ? begun_ + 1 : settings_.starts;
    in_flight_ += point ? 1 : 0;
    return point;
}

void LocalSearch::begin_round() {
    begun_ = 0;
    round_.clear();
    nearest_.reset();
    open_.clear();
}

std::optional<CodedPoint> LocalSearch::next_neighbour() {
    while (!turns_.empty()) {
        auto const serial = turns_.begin()->second;
        turns_.erase(turns_.begin());
        auto const member = open_.find(serial);
        std::optional<CodedPoint> point;
        if (is_in_round(serial, member->second.values)) point = next_neighbour_of(serial, member->second);
        if (point) {
            turns_.emplace(member->second.looked, serial);
            ++in_flight_;
            return point;
        }
        open_.erase(member);
    }
    return std::nullopt;
}

/// Visits the neighbours in a random order of the member's own; neighbours with known results join the round.
std::optional<CodedPoint> LocalSearch::next_neighbour_of(Serial serial, Member& member) {
    auto const& genome = genomes_.of(member.point);
    std::uint64_t const count = neighbours_of(member.point, genome);
    if (count == 0) return std::nullopt;
    sim::Shuffle const order(count, settings_.seed ^ sim::mixed_bits(serial));
    while (member.looked < count) {
        auto point = neighbour(member.point, genome, order.at(member.looked++));
        if (duplicates_.has(point)) {
            if (is_worth_asking(point)) return duplicates_.take(point) ? std::optional(std::move(point)) : std::nullopt;
            ++skipped_;
            continue;
        }
        auto const known = known_.find(genomes_.key(point));
        if (known != known_.end()) join(point, known->second);
    }
    return std::nullopt;
}

bool LocalSearch::is_worth_asking(CodedPoint const& point) const {
    if (!settings_.lower_of || round_.size() == 0) return true;
    auto const lower = settings_.lower_of(point);
    return lower && round_.dominator(*lower) == nullptr;
}

void LocalSearch::tell(CodedPoint const& point, ObjectiveValues const& objective_values) {
    --in_flight_;
    known_.emplace(genomes_.key(point), objective_values);
    join(point, objective_values);
}

void LocalSearch::know(CodedPoint const& point, ObjectiveValues const& objective_values) {
    if (!duplicates_.take(point)) return;
    ++begun_;
    known_.emplace(genomes_.key(point), objective_values);
    join(point, objective_values);
}

void LocalSearch::join(CodedPoint const& point, ObjectiveValues const& objective_values) {
    Serial const serial = next_++;
    if (!enters_round(serial, objective_values)) return;
    if (objective_values.feasible) best_.insert({objective_values.values, space::PointId{serial}});
    open_.emplace(serial, Member{point, objective_values, 0});
    turns_.emplace(0, serial);
}

bool LocalSearch::enters_round(Serial serial, ObjectiveValues const& objective_values) {
    if (objective_values.feasible) return round_.insert({objective_values.values, space::PointId{serial}});
    double const smallest = nearest_ ? nearest_->first : models::Infeasible::unmeasured;
    if (round_.size() > 0 || !(objective_values.violation < smallest)) return false;
    nearest_ = {objective_values.violation, serial};
    return true;
}

bool LocalSearch::is_in_round(Serial serial, ObjectiveValues const& objective_values) const {
    if (objective_values.feasible) return is_member(round_, serial, objective_values.values);
    return round_.size() == 0 && nearest_->second == serial;
}

std::size_t LocalSearch::unchecked() const {
    return static_cast<std::size_t>(std::ranges::count_if(open_, [&](auto const& open) {
        auto const& [serial, member] = open;
        return member.values.feasible && is_member(best_, serial, member.values.values) &&
               member.looked < neighbours_of(member.point, genomes_.of(member.point));
    }));
}

std::uint64_t neighbours_of(CodedPoint const& point, Genome const& genome) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < genome.size(); ++i) sum += neighbours_along(point.values[i], genome[i]);
    return sum;
}

CodedPoint neighbour(CodedPoint const& point, Genome const& genome, std::uint64_t index) {
    CodedPoint moved = point;
    for (std::size_t i = 0; i < genome.size(); ++i) {
        std::uint64_t const along = neighbours_along(point.values[i], genome[i]);
        if (index < along) {
            moved.values[i] = stepped(point.values[i], genome[i], index);
            return moved;
        }
        index -= along;
    }
    sim::expects(false, "the number of a neighbour is below the number of neighbours");
    return moved;
}

}  // namespace pimdse::dse::search
