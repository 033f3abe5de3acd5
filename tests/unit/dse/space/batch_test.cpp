#include "dse/space/batch.hpp"

#include "sim/base/check.hpp"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace pimdse::dse::space::batch_test {
namespace {

using models::Fidelity;

/// The slow way: every task of it, one after the other.
struct Written {
    Batch batch;
    std::vector<Task> tasks;
};

Written random_batch(std::mt19937_64& random) {
    auto const fidelity = static_cast<Fidelity>(random() % 3);
    std::uint64_t const count = random() % 20;
    Written written;
    if (random() % 2 == 0) {
        std::uint64_t const first = random() % 3 == 0 ? ~std::uint64_t{0} - count : random() % 1000;
        written.batch = Batch::range(PointId{first}, count, fidelity);
        for (std::uint64_t i = 0; i < count; ++i) written.tasks.push_back({PointId{first + i}, fidelity});
    } else {
        std::vector<PointId> points;
        for (std::uint64_t i = 0; i < count; ++i) points.push_back(PointId{random() % 7});  // some twice
        for (auto const point : points) written.tasks.push_back({point, fidelity});
        written.batch = Batch::list(points, fidelity);
    }
    return written;
}

void expect_same(Written const& written) {
    ASSERT_EQ(written.batch.size(), written.tasks.size());
    ASSERT_EQ(written.batch.empty(), written.tasks.empty());
    for (std::uint64_t i = 0; i < written.tasks.size(); ++i) ASSERT_EQ(written.batch.task(i), written.tasks[i]);
    EXPECT_THROW((void)written.batch.task(written.tasks.size()), sim::ContractViolation);
}

TEST(Batch, is_its_tasks_in_order_and_so_is_every_part_of_a_part) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 500; ++round) {
        auto written = random_batch(random);
        auto const fidelity = written.batch.fidelity();
        for (int cut = 0; cut < 4; ++cut) {
            expect_same(written);
            std::uint64_t const first = random() % (written.tasks.size() + 1);
            std::uint64_t const count = random() % (written.tasks.size() - first + 1);
            written.batch = written.batch.part(first, count);
            auto const from = written.tasks.begin() + static_cast<std::ptrdiff_t>(first);
            written.tasks = std::vector<Task>(from, from + static_cast<std::ptrdiff_t>(count));
            EXPECT_EQ(written.batch.fidelity(), fidelity);
        }
    }
}

TEST(Batch, has_no_part_beyond_its_end_however_the_numbers_wrap) {
    std::mt19937_64 random(2);
    for (int round = 0; round < 200; ++round) {
        auto const written = random_batch(random);
        std::uint64_t const size = written.tasks.size();
        EXPECT_THROW((void)written.batch.part(size + 1, 0), sim::ContractViolation);
        EXPECT_THROW((void)written.batch.part(0, size + 1), sim::ContractViolation);
        EXPECT_THROW((void)written.batch.part(size, ~std::uint64_t{0}), sim::ContractViolation);
        EXPECT_THROW((void)written.batch.part(1, ~std::uint64_t{0}), sim::ContractViolation) << "1 + it is 0";
        EXPECT_TRUE(written.batch.part(size, 0).empty());
    }
}

TEST(Batch, stays_in_quarantine_in_parts_and_leaves_the_one_it_came_from_out_of_it) {
    std::mt19937_64 random(3);
    for (int round = 0; round < 100; ++round) {
        auto const written = random_batch(random);
        auto const kept_apart = written.batch.quarantined();
        EXPECT_FALSE(written.batch.is_quarantined());
        EXPECT_TRUE(kept_apart.is_quarantined());
        EXPECT_TRUE(kept_apart.part(0, written.tasks.size() / 2).is_quarantined());
        EXPECT_TRUE(kept_apart.part(0, 0).is_quarantined());
        EXPECT_FALSE(written.batch.part(0, written.tasks.size()).is_quarantined());
        expect_same({kept_apart, written.tasks});
    }
}

}  // namespace
}  // namespace pimdse::dse::space::batch_test
