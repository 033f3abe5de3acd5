#include "dse/genetic/nsga2.hpp"

#include "dse/genetic/variation.hpp"
#include "sim/base/check.hpp"

namespace pimdse::dse::genetic {
namespace {

bool better(Fitness const& a, Fitness const& b) { return a.rank != b.rank ? a.rank < b.rank : a.distance > b.distance; }

}  // namespace

Nsga2::Nsga2(Genomes const& genomes, Settings settings)
    : genomes_(genomes), settings_(settings), dice_(settings.seed), unseen_(genomes, settings.seed) {
    sim::expects(settings.population >= 2, "a child has two parents");
}

std::optional<CodedPoint> Nsga2::ask() {
    bool const founds = founders_ < settings_.population || points_.size() < 2;
    founders_ += founds ? 1 : 0;
    if (!founds) {
        if (auto point = unseen_child()) return point;
    }
    return unseen_.take_random(dice_);
}

/// One that is known is varied further, until it is not.
std::optional<CodedPoint> Nsga2::unseen_child() {
    constexpr int children = 8, variations = 8;
    for (int i = 0; i < children; ++i) {
        auto point = child();
        for (int j = 0; j < variations; ++j) {
            if (unseen_.take(point)) return point;
            mutate(point, genomes_.of(point), dice_);
        }
    }
    return std::nullopt;
}

/// The better of two.
std::size_t Nsga2::tournament() {
    std::size_t const a = dice_.below(points_.size()), b = dice_.below(points_.size());
    return better(fitness_[b], fitness_[a]) ? b : a;
}

CodedPoint Nsga2::child() {
    auto const& one = points_[tournament()];
    auto const& other = points_[tournament()];
    auto const& genome = genomes_.of(one);
    bool const cross = one.genome == other.genome && dice_.below(10) != 0;
    CodedPoint point = cross ? crossed(one, other, genome, dice_) : one;
    if (!cross || dice_.heads()) mutate(point, genome, dice_);
    return point;
}

void Nsga2::tell(CodedPoint point, Merit const& merit) {
    points_.push_back(std::move(point));
    merits_.push_back(merit);
    fitness_ = fitness_of(merits_, settings_.objectives);
    if (points_.size() > settings_.population) drop_worst();
}

void Nsga2::know(CodedPoint const& point, Merit const& merit) {
    if (!unseen_.take(point)) return;
    ++founders_;
    tell(point, merit);
}

/// Of those that stand alike, the oldest.
void Nsga2::drop_worst() {
    std::size_t worst = 0;
    for (std::size_t i = 1; i < points_.size(); ++i) {
        if (better(fitness_[worst], fitness_[i])) worst = i;
    }
    auto const at = static_cast<std::ptrdiff_t>(worst);
    points_.erase(points_.begin() + at);
    merits_.erase(merits_.begin() + at);
    fitness_.erase(fitness_.begin() + at);
}

}  // namespace pimdse::dse::genetic
