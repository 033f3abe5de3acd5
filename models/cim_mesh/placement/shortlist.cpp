#include "models/cim_mesh/placement/shortlist.hpp"

#include <algorithm>
#include <iterator>

namespace pimdse::models::cim_mesh {

bool Shortlist::wants(double byte_hops, Genes const& genes) const {
    if (genes.heights.empty()) {
        auto const found = bands_.find(genes.band_height);
        return found == bands_.end() || !is_refused(found->second, byte_hops);
    }
    if (is_too_dear(byte_hops)) return false;
    auto const found = rectangles_.find(genes.heights);
    return found == rectangles_.end() || !is_refused(found->second, byte_hops);
}

void Shortlist::offer(double byte_hops, Genes const& genes) {
    if (!wants(byte_hops, genes)) return;
    bool const rectangles = !genes.heights.empty();
    auto& best = rectangles ? rectangles_[genes.heights] : bands_[genes.band_height];
    if (!best.insert({byte_hops, genes}).second) return;
    if (rectangles) count_rectangle(byte_hops);
    if (best.size() > per_shape_) {
        auto const worst = std::prev(best.end());
        if (rectangles) forget_rectangle(worst->byte_hops);
        best.erase(worst);
    }
    if (costs_.size() > most_rectangles_) costs_.resize(most_rectangles_);
}

void Shortlist::count_rectangle(double byte_hops) {
    costs_.insert(std::upper_bound(costs_.begin(), costs_.end(), byte_hops), byte_hops);
}

void Shortlist::forget_rectangle(double byte_hops) {
    auto const found = std::lower_bound(costs_.begin(), costs_.end(), byte_hops);
    if (found != costs_.end() && *found == byte_hops) costs_.erase(found);
}

std::vector<RatedGenes> Shortlist::finalists() const {
    std::vector<RatedGenes> all, rectangles;
    for (auto const& [_, best] : bands_) all.insert(all.end(), best.begin(), best.end());
    for (auto const& [_, best] : rectangles_) rectangles.insert(rectangles.end(), best.begin(), best.end());
    std::sort(rectangles.begin(), rectangles.end());
    if (rectangles.size() > most_rectangles_) rectangles.resize(most_rectangles_);
    all.insert(all.end(), rectangles.begin(), rectangles.end());
    return all;
}

}  // namespace pimdse::models::cim_mesh
