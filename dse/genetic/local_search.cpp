#include "dse/genetic/local_search.hpp"

#include "dse/genetic/neighbours.hpp"

#include <algorithm>

namespace pimdse::dse::genetic {
namespace {

bool is_member(front::ParetoTree const& archive, std::uint64_t serial, front::ParetoTree::Vector const& values) {
    auto const* cover = archive.cover(values);
    return cover != nullptr && index_of(cover->point) == serial;
}

}  // namespace

LocalSearch::LocalSearch(Genomes const& genomes, Settings settings)
    : genomes_(genomes),
      settings_(std::move(settings)),
      dice_(settings_.seed),
      unseen_(genomes, settings_.seed),
      best_(settings_.objectives),
      round_(settings_.objectives) {}

std::optional<CodedPoint> LocalSearch::ask() {
    if (begun_ < settings_.starts) return start();
    if (auto point = next_neighbour()) return point;
    if (under_way_ > 0 || (round_.size() > 0 && !settings_.again)) return std::nullopt;
    begin_round();
    return start();
}

std::optional<CodedPoint> LocalSearch::start() {
    auto point = unseen_.take_random(dice_);
    begun_ = point ? begun_ + 1 : settings_.starts;
    under_way_ += point ? 1 : 0;
    return point;
}

void LocalSearch::begin_round() {
    begun_ = 0;
    round_.clear();
    open_.clear();
}

std::optional<CodedPoint> LocalSearch::next_neighbour() {
    while (!turns_.empty()) {
        auto const serial = turns_.begin()->second;
        turns_.erase(turns_.begin());
        auto const member = open_.find(serial);
        std::optional<CodedPoint> point;
        if (is_member(round_, serial, member->second.values)) point = next_neighbour_of(serial, member->second);
        if (point) {
            turns_.emplace(member->second.looked, serial);
            ++under_way_;
            return point;
        }
        open_.erase(member);
    }
    return std::nullopt;
}

/// In an order of the member's own; those that are known join the round.
std::optional<CodedPoint> LocalSearch::next_neighbour_of(Serial serial, Member& member) {
    auto const& genome = genomes_.of(member.point);
    std::uint64_t const count = neighbours_of(member.point, genome);
    if (count == 0) return std::nullopt;
    sim::Shuffle const order(count, settings_.seed ^ sim::mixed_bits(serial));
    while (member.looked < count) {
        auto point = neighbour(member.point, genome, order.at(member.looked++));
        if (unseen_.has(point)) {
            if (is_worth_asking(point)) return unseen_.take(point) ? std::optional(std::move(point)) : std::nullopt;
            ++skipped_;
            continue;
        }
        auto const known = known_.find(genomes_.key(point));
        if (known != known_.end()) join(point, known->second);
    }
    return std::nullopt;
}

bool LocalSearch::is_worth_asking(CodedPoint const& point) const {
    if (!settings_.low_of) return true;
    auto const low = settings_.low_of(point);
    return low && round_.cover(*low) == nullptr;
}

void LocalSearch::tell(CodedPoint const& point, Merit const& merit) {
    --under_way_;
    known_.emplace(genomes_.key(point), merit);
    join(point, merit);
}

void LocalSearch::know(CodedPoint const& point, Merit const& merit) {
    if (!unseen_.take(point)) return;
    ++begun_;
    known_.emplace(genomes_.key(point), merit);
    join(point, merit);
}

void LocalSearch::join(CodedPoint const& point, Merit const& merit) {
    Serial const serial = next_++;
    if (!merit.feasible || !round_.insert({merit.values, task::PointId{serial}})) return;
    best_.insert({merit.values, task::PointId{serial}});
    open_.emplace(serial, Member{point, merit.values, 0});
    turns_.emplace(0, serial);
}

std::size_t LocalSearch::unchecked() const {
    return static_cast<std::size_t>(std::ranges::count_if(open_, [&](auto const& open) {
        auto const& [serial, member] = open;
        return is_member(best_, serial, member.values) &&
               member.looked < neighbours_of(member.point, genomes_.of(member.point));
    }));
}

}  // namespace pimdse::dse::genetic
