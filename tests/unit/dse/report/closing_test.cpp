#include "dse/report/standing.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <vector>

namespace pimdse::dse::report {
namespace {

using models::Fidelity;
using search::Certificate;
using space::PointId;
using Way = CertificateEntry::Way;

/// A certificate of boxes over two grids, cut at random, and what it says of every point.
class Boxes {
  public:
    explicit Boxes(std::uint64_t seed) : random_(seed) {
        certificate_.grids = {{0, {4, 1, 6}}, {24, {3, 5, 2}}};
        certificate_.best = {{}, {}};
        for (std::size_t g = 0; g < 2; ++g) cut(g, {0, 0, 0}, certificate_.grids[g].sizes);
    }

    [[nodiscard]] Certificate const& certificate() const { return certificate_; }
    [[nodiscard]] search::ResultStore const& store() const { return store_; }
    [[nodiscard]] std::map<std::uint64_t, CertificateEntry> const& told() const { return told_; }

  private:
    using Sizes = std::vector<std::uint64_t>;

    void cut(std::size_t grid, Sizes const& first, Sizes const& count) {
        std::vector<std::size_t> long_axes;
        for (std::size_t a = 0; a < count.size(); ++a) {
            if (count[a] > 1) long_axes.push_back(a);
        }
        if (long_axes.empty() || random_() % 5 == 0) return keep(grid, first, count);
        auto const axis = long_axes[random_() % long_axes.size()];
        auto const at = 1 + random_() % (count[axis] - 1);
        Sizes one = count, other = count, behind = first;
        one[axis] = at;
        other[axis] -= at;
        behind[axis] += at;
        cut(grid, first, one);
        cut(grid, behind, other);
    }

    void keep(std::size_t grid, Sizes const& first, Sizes const& count) {
        auto const ids = points(grid, first, count);
        CertificateEntry closing{static_cast<Way>(random_() % 5), std::nullopt, {}};
        if (ids.size() > 1 && (closing.way == Way::equal_key || closing.way == Way::evaluated)) closing.way = Way::open;
        PointId const id{ids.front()};
        switch (closing.way) {
            case Way::pruned:
                closing.by = PointId{random_() % 54};
                closing.best = {static_cast<double>(random_() % 100), static_cast<double>(random_() % 100)};
                put(certificate_.pruned, certificate_.pruned_extents, id, count);
                certificate_.witnesses.push_back(*closing.by);
                for (std::size_t i = 0; i < 2; ++i) certificate_.best[i].push_back(closing.best[i]);
                break;
            case Way::equal_key:
                closing.by = PointId{random_() % 54};
                certificate_.equal_keys.push_back(id);
                certificate_.representatives.push_back(*closing.by);
                break;
            case Way::open:
                put(certificate_.open, certificate_.open_extents, id, count);
                break;
            case Way::infeasible:
                put(certificate_.refused, certificate_.refused_extents, id, count);
                break;
            case Way::evaluated:
                store_.insert({{id, Fidelity::cycle}, models::Metrics{models::Estimate::exact(1.0)}, 0.0, 0});
        }
        for (auto const point : ids) told_[point] = closing;
    }

    static void put(std::vector<PointId>& firsts, std::vector<std::uint32_t>& extents, PointId id, Sizes const& count) {
        firsts.push_back(id);
        for (auto const n : count) extents.push_back(static_cast<std::uint32_t>(n));
    }

    [[nodiscard]] std::vector<std::uint64_t> points(std::size_t grid, Sizes const& first, Sizes const& count) const {
        auto const& sizes = certificate_.grids[grid].sizes;
        std::vector<std::uint64_t> ids;
        for (auto i = first[0]; i < first[0] + count[0]; ++i) {
            for (auto j = first[1]; j < first[1] + count[1]; ++j) {
                for (auto k = first[2]; k < first[2] + count[2]; ++k)
                    ids.push_back(certificate_.grids[grid].first + (i * sizes[1] + j) * sizes[2] + k);
            }
        }
        return ids;
    }

    std::mt19937_64 random_;
    Certificate certificate_;
    search::ResultStore store_{1};
    std::map<std::uint64_t, CertificateEntry> told_;
};

TEST(CertificateEntry, is_that_of_the_box_that_has_the_point) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        Boxes const boxes(seed);
        ASSERT_EQ(boxes.told().size(), 54U);
        for (auto const& [id, told] : boxes.told()) {
            auto const closing = certificate_entry_of(boxes.certificate(), boxes.store(), PointId{id});
            EXPECT_EQ(name_of(closing.way), name_of(told.way)) << "point " << id << " of seed " << seed;
            EXPECT_EQ(closing.by, told.by);
            EXPECT_EQ(closing.best, told.best);
        }
    }
}

TEST(CertificateEntry, of_a_coarse_answer_alone_is_no_answer) {
    search::ResultStore store(1);
    store.insert({{PointId{2}, Fidelity::analytic}, models::Metrics{models::Estimate::exact(1.0)}, 0.0, 0});
    EXPECT_EQ(certificate_entry_of({}, store, PointId{2}).way, Way::infeasible);
}

}  // namespace
}  // namespace pimdse::dse::report
