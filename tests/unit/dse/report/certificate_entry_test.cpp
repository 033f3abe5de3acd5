#include "dse/report/standing.hpp"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <vector>

namespace pimdse::dse::report::certificate_entry_test {
namespace {

using models::Fidelity;
using search::Certificate;
using space::PointId;
using State = CertificateEntry::State;

/// A certificate of boxes over two grids, divided at random, and the entry expected for every point.
class Boxes {
  public:
    explicit Boxes(std::uint64_t seed) : random_(seed) {
        certificate_.grids = {{0, {4, 1, 6}}, {24, {3, 5, 2}}};
        certificate_.best = {{}, {}};
        for (std::size_t g = 0; g < 2; ++g) cut(g, {0, 0, 0}, certificate_.grids[g].sizes);
    }

    [[nodiscard]] Certificate const& certificate() const { return certificate_; }
    [[nodiscard]] search::ResultStore const& store() const { return store_; }
    [[nodiscard]] std::map<std::uint64_t, CertificateEntry> const& expected() const { return expected_; }

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
        CertificateEntry entry{static_cast<State>(random_() % 5), std::nullopt, {}};
        if (ids.size() > 1 && (entry.state == State::equal_key || entry.state == State::evaluated))
            entry.state = State::open;
        PointId const id{ids.front()};
        switch (entry.state) {
            case State::pruned:
                entry.by = PointId{random_() % 54};
                entry.best = {static_cast<double>(random_() % 100), static_cast<double>(random_() % 100)};
                put(certificate_.pruned, certificate_.pruned_extents, id, count);
                certificate_.witnesses.push_back(*entry.by);
                for (std::size_t i = 0; i < 2; ++i) certificate_.best[i].push_back(entry.best[i]);
                break;
            case State::equal_key:
                entry.by = PointId{random_() % 54};
                certificate_.equal_keys.push_back(id);
                certificate_.representatives.push_back(*entry.by);
                break;
            case State::open:
                put(certificate_.open, certificate_.open_extents, id, count);
                break;
            case State::infeasible:
                put(certificate_.refused, certificate_.refused_extents, id, count);
                break;
            case State::evaluated:
                store_.insert({{id, Fidelity::cycle}, models::Metrics{models::Estimate::exact(1.0)}, 0.0, 0});
        }
        for (auto const point : ids) expected_[point] = entry;
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
    std::map<std::uint64_t, CertificateEntry> expected_;
};

TEST(CertificateEntry, is_that_of_the_box_that_contains_the_point) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        Boxes const boxes(seed);
        ASSERT_EQ(boxes.expected().size(), 54U);
        for (auto const& [id, expected] : boxes.expected()) {
            auto const entry = certificate_entry_of(boxes.certificate(), boxes.store(), PointId{id});
            EXPECT_EQ(name_of(entry.state), name_of(expected.state)) << "point " << id << " of seed " << seed;
            EXPECT_EQ(entry.by, expected.by);
            EXPECT_EQ(entry.best, expected.best);
        }
    }
}

TEST(CertificateEntry, of_a_point_with_only_an_analytic_result_is_not_evaluated) {
    search::ResultStore store(1);
    store.insert({{PointId{2}, Fidelity::analytic}, models::Metrics{models::Estimate::exact(1.0)}, 0.0, 0});
    EXPECT_EQ(certificate_entry_of({}, store, PointId{2}).state, State::infeasible);
}

}  // namespace
}  // namespace pimdse::dse::report::certificate_entry_test
