#pragma once

#include "dse/search/box_search.hpp"
#include "synthetic.hpp"

#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <set>
#include <vector>

/// Boxes over synthetic points, searched to their end, and what must hold of every search.
namespace pimdse::dse::search::testing {

/// Points on a grid whose results are known; the lower bound of a box is the minimum over its points, or a little less.
class Ground final : public Grids, public Truth {
  public:
    struct Kind {
        std::vector<std::uint32_t> sizes{6, 5, 4};
        std::size_t objectives = 2;
        std::uint64_t levels = 9, loose = 3, keys = 70;
        bool refusals = false, failures = false;
    };
    Ground(Kind const& kind, std::uint64_t seed) : Truth(kind.objectives), sizes_(kind.sizes) {
        Rng rng(seed);
        std::uint64_t const count =
            std::accumulate(sizes_.begin(), sizes_.end(), std::uint64_t{1}, std::multiplies<>());
        for (std::uint64_t k = 0; k < kind.keys; ++k) {
            Reply reply;
            if (kind.failures && rng.one_in(9)) reply.end = Reply::End::failed;
            for (std::size_t i = 0; i < kind.objectives; ++i)
                reply.values[i] = static_cast<double>(rng.below(kind.levels));
            replies.push_back(reply);
        }
        for (std::uint64_t id = 0; id < count; ++id) {
            keys.push_back(rng.below(kind.keys));
            refused.push_back(kind.refusals && rng.one_in(5));
            auto& lower = ideals.emplace_back().lower;
            for (std::size_t i = 0; i < kind.objectives; ++i)
                lower[i] = reply(id).values[i] - static_cast<double>(rng.below(kind.loose));
        }
    }

    std::vector<Box> whole() const override {
        Box box;
        for (auto const size : sizes_) box.axes.push_back({0, size});
        return {box};
    }
    std::optional<Values> bound(Box const& box) override {
        std::optional<Values> min_id;
        for (auto const id : ids(box)) {
            if (refused[id]) continue;
            if (!min_id) min_id = ideals[id].lower;
            for (std::size_t i = 0; i < objectives; ++i) (*min_id)[i] = std::min((*min_id)[i], ideals[id].lower[i]);
        }
        if (min_id && box.points() > 20) (*min_id)[0] = -std::numeric_limits<double>::infinity();
        return min_id;
    }
    std::size_t axis_to_cut(Box const& box) override {
        std::size_t longest = 0;
        for (std::size_t a = 0; a < box.axes.size(); ++a)
            if (box.axes[a].count > box.axes[longest].count) longest = a;
        return longest;
    }
    space::PointId first_of(Box const& box) const override { return space::PointId{ids(box).front()}; }

    /// In no order but that the smallest comes first.
    std::vector<std::uint64_t> ids(Box const& box) const {
        std::vector<std::uint64_t> all{0};
        for (std::size_t a = 0; a < sizes_.size(); ++a) {
            std::vector<std::uint64_t> longer;
            for (auto const id : all)
                for (std::uint32_t p = 0; p < box.axes[a].count; ++p)
                    longer.push_back(id * sizes_[a] + box.axes[a].first + p);
            all = std::move(longer);
        }
        return all;
    }
    std::vector<std::uint64_t> ids(std::uint64_t first, std::span<std::uint32_t const> counts) const {
        Box box;
        for (std::size_t a = sizes_.size(); a-- > 0; first /= sizes_[a])
            box.axes.insert(box.axes.begin(), {static_cast<std::uint32_t>(first % sizes_[a]), counts[a]});
        return ids(box);
    }

    std::uint64_t key(std::uint64_t id) const { return keys[id]; }
    std::uint64_t points() const { return keys.size(); }

  private:
    std::vector<std::uint32_t> sizes_;
};

inline BoxSearch search_on(Ground& ground, BoxSearch::Settings const& settings, std::uint64_t patience = 7) {
    auto const key_of = [&ground](space::PointId point) { return models::CycleKey{3, ground.key(index_of(point))}; };
    return {settings, ground, key_of, {}, patience};
}
inline BoxSearch search_on(Ground& ground, std::size_t objectives, std::uint64_t max_runs = 0,
                           std::uint64_t patience = 7) {
    return search_on(ground, {objectives, max_runs}, patience);
}

/// What was asked for, evaluated in an order that the seed decides.
inline std::set<std::uint64_t> climb(BoxSearch& search, Ground const& ground, std::uint64_t lag, std::uint64_t seed) {
    std::set<std::uint64_t> requested;
    auto const nothing = [](auto const&) {};
    climb_to_the_end(
        search, ground, lag, seed, [&](space::PointId point) { requested.insert(index_of(point)); }, nothing, nothing);
    return requested;
}

inline std::map<std::uint64_t, int> places(search::Certificate const& certificate,
                                           std::set<std::uint64_t> const& requested, Ground const& ground) {
    std::map<std::uint64_t, int> count;
    auto const boxes = [&](auto const& firsts, auto const& extents) {
        std::size_t const axes = firsts.empty() ? 0 : extents.size() / firsts.size();
        for (std::size_t b = 0; b < firsts.size(); ++b)
            for (auto const id : ground.ids(index_of(firsts[b]), std::span(extents).subspan(b * axes, axes)))
                ++count[id];
    };
    boxes(certificate.pruned, certificate.pruned_extents);
    boxes(certificate.open, certificate.open_extents);
    boxes(certificate.refused, certificate.refused_extents);
    for (auto const id : certificate.equal_keys) ++count[index_of(id)];
    for (auto const id : requested) {
        bool const elsewhere =
            std::ranges::find(certificate.equal_keys, space::PointId{id}) != certificate.equal_keys.end() ||
            std::ranges::find(certificate.open, space::PointId{id}) != certificate.open.end();
        count[id] += elsewhere ? 0 : 1;
    }
    return count;
}

inline void expect_whole(search::Certificate const& certificate, std::set<std::uint64_t> const& requested,
                         Ground const& ground) {
    auto const count = places(certificate, requested, ground);
    EXPECT_EQ(count.size(), ground.points());
    for (auto const& [id, times] : count) EXPECT_EQ(times, 1) << "point " << id;
    for (std::size_t c = 0; c < certificate.pruned.size(); ++c) {
        Values best{};
        for (std::size_t i = 0; i < certificate.best.size(); ++i) best[i] = certificate.best[i][c];
        best = relaxed(best, certificate.epsilon, certificate.best.size());
        EXPECT_TRUE(ground.dominates(index_of(certificate.witnesses[c]), best, index_of(certificate.pruned[c])));
        EXPECT_TRUE(requested.contains(index_of(certificate.witnesses[c])));
    }
}

inline std::vector<Ground::Kind> ground_kinds() {
    std::vector<Ground::Kind> all;
    for (std::size_t objectives = 1; objectives <= 4; ++objectives) {
        all.push_back({.objectives = objectives});
        all.push_back({.sizes = {40, 3}, .objectives = objectives, .levels = 60, .loose = 12, .keys = 500});
        all.push_back({.sizes = {3, 2, 2, 5, 2}, .objectives = objectives, .levels = 4, .refusals = true});
        all.push_back({.objectives = objectives, .levels = 30, .keys = 500, .refusals = true, .failures = true});
    }
    return all;
}

}  // namespace pimdse::dse::search::testing
