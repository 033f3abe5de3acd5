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
class Ground final : public Grids {
  public:
    struct Kind {
        std::vector<std::uint32_t> sizes{6, 5, 4};
        std::size_t objectives = 2;
        std::uint64_t levels = 9, loose = 3, keys = 70;
        bool refusals = false, failures = false;
    };
    Ground(Kind const& kind, std::uint64_t seed) : kind_(kind) {
        Rng rng(seed);
        std::uint64_t const points =
            std::accumulate(kind.sizes.begin(), kind.sizes.end(), std::uint64_t{1}, std::multiplies<>());
        for (std::uint64_t k = 0; k < kind.keys; ++k) {
            Reply reply;
            if (kind.failures && rng.one_in(9)) reply.end = Reply::End::failed;
            for (std::size_t i = 0; i < kind.objectives; ++i)
                reply.values[i] = static_cast<double>(rng.below(kind.levels));
            replies_.push_back(reply);
        }
        for (std::uint64_t id = 0; id < points; ++id) {
            keys_.push_back(rng.below(kind.keys));
            refused_.push_back(kind.refusals && rng.one_in(5));
            Values lower{};
            for (std::size_t i = 0; i < kind.objectives; ++i)
                lower[i] = reply(id).values[i] - static_cast<double>(rng.below(kind.loose));
            lower_bounds_.push_back(lower);
        }
    }

    std::vector<Box> whole() const override {
        Box box;
        for (auto const size : kind_.sizes) box.axes.push_back({0, size});
        return {box};
    }
    std::optional<Values> bound(Box const& box) override {
        std::optional<Values> min_id;
        for (auto const id : ids(box)) {
            if (refused_[id]) continue;
            if (!min_id) min_id = lower_bounds_[id];
            for (std::size_t i = 0; i < kind_.objectives; ++i)
                (*min_id)[i] = std::min((*min_id)[i], lower_bounds_[id][i]);
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
        for (std::size_t a = 0; a < kind_.sizes.size(); ++a) {
            std::vector<std::uint64_t> longer;
            for (auto const id : all)
                for (std::uint32_t p = 0; p < box.axes[a].count; ++p)
                    longer.push_back(id * kind_.sizes[a] + box.axes[a].first + p);
            all = std::move(longer);
        }
        return all;
    }
    std::vector<std::uint64_t> ids(std::uint64_t first, std::span<std::uint32_t const> counts) const {
        Box box;
        for (std::size_t a = kind_.sizes.size(); a-- > 0; first /= kind_.sizes[a])
            box.axes.insert(box.axes.begin(), {static_cast<std::uint32_t>(first % kind_.sizes[a]), counts[a]});
        return ids(box);
    }

    Reply const& reply(std::uint64_t id) const { return replies_[keys_[id]]; }
    std::uint64_t key(std::uint64_t id) const { return keys_[id]; }
    std::uint64_t points() const { return keys_.size(); }
    bool feasible(std::uint64_t id) const { return !refused_[id] && reply(id).end == Reply::End::feasible; }
    bool dominates(std::uint64_t a, Values const& x, std::uint64_t id) const {
        auto const& mine = reply(a).values;
        bool equal = true;
        for (std::size_t i = 0; i < kind_.objectives; ++i) {
            if (mine[i] > x[i]) return false;
            equal = equal && mine[i] == x[i];
        }
        return !equal || a < id;
    }
    /// By definition.
    std::vector<std::uint64_t> front() const {
        std::vector<std::uint64_t> members;
        for (std::uint64_t id = 0; id < points(); ++id) {
            bool dominated = !feasible(id);
            for (std::uint64_t a = 0; a < points() && !dominated; ++a)
                dominated = feasible(a) && dominates(a, reply(id).values, id);
            if (!dominated) members.push_back(id);
        }
        return members;
    }
    std::set<std::uint64_t> needed_keys() const {
        std::set<std::uint64_t> needed;
        auto const members = front();
        for (std::uint64_t id = 0; id < points(); ++id) {
            bool const dominated =
                std::ranges::any_of(members, [&](auto a) { return dominates(a, lower_bounds_[id], id); });
            if (!dominated && !refused_[id]) needed.insert(keys_[id]);
        }
        return needed;
    }

  private:
    Kind kind_;
    std::vector<Reply> replies_;
    std::vector<std::uint64_t> keys_;
    std::vector<bool> refused_;
    std::vector<Values> lower_bounds_;
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
    Rng rng(seed);
    std::vector<space::PointId> in_flight;
    std::set<std::uint64_t> requested;
    while (true) {
        for (auto const point : search.ask(lag - in_flight.size())) {
            in_flight.push_back(point);
            requested.insert(index_of(point));
        }
        if (in_flight.empty() && search.waits()) continue;
        if (in_flight.empty()) return requested;
        auto const pick = in_flight.begin() + static_cast<std::ptrdiff_t>(rng.below(in_flight.size()));
        auto const point = *pick;
        in_flight.erase(pick);
        search.tell(point, ground.reply(index_of(point)));
    }
}

inline std::vector<std::uint64_t> ids_of(BoxSearch const& search) {
    std::vector<std::uint64_t> ids;
    for (auto const& member : search.members()) ids.push_back(index_of(member.point));
    return ids;
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
