#include "dse/search/result_store.hpp"

#include "../store/sample.hpp"
#include "sim/base/digest.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <random>

namespace pimdse::dse::store::digest_test {
namespace {

TEST(Digest, is_the_SHA_256_everyone_else_computes) {
    EXPECT_EQ(sim::sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sim::sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sim::sha256(std::string(1000000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Digest, does_not_depend_on_the_order_of_results_nor_on_who_gave_them_how_fast) {
    auto results = sample::results(0, 500);
    results.push_back(sample::result(3, models::Fidelity::cycle));
    std::string const expected = search::digest("space", sample::store(results));
    std::mt19937 random(1);
    std::shuffle(results.begin(), results.end(), random);
    for (auto& result : results) {
        result.seconds *= 3.0;
        result.rank += 1;
    }
    EXPECT_EQ(search::digest("space", sample::store(results)), expected);
}

TEST(Digest, changes_with_the_space_and_with_every_part_of_a_result) {
    std::vector<space::Result> const base{sample::result(0), sample::result(10), sample::result(3)};
    std::vector<std::string> seen{search::digest("space", sample::store(base)),
                                  search::digest("other", sample::store(base))};
    auto const changed = [&](auto const& change) {
        auto results = base;
        change(results);
        seen.push_back(search::digest("space", sample::store(results)));
    };
    changed([](auto& a) { a.pop_back(); });
    changed([](auto& a) { a[0].task.point = space::PointId{1}; });
    changed([](auto& a) { a[0].task.fidelity = models::Fidelity::cycle; });
    changed([](auto& a) { std::get<models::Metrics>(a[0].outcome)[0].value *= 1.0 + 0x1p-52; });
    changed([](auto& a) { std::get<models::Metrics>(a[1].outcome)[0].lower *= 1.0 + 0x1p-52; });
    changed([](auto& a) { std::get<models::Metrics>(a[1].outcome)[0].upper *= 1.0 + 0x1p-52; });
    changed([](auto& a) { std::get<models::Metrics>(a[1].outcome)[0].kinds = models::Bound::proved; });
    changed([](auto& a) { std::get<models::Infeasible>(a[2].outcome).rule = "other"; });
    changed([](auto& a) { std::get<models::Infeasible>(a[2].outcome).reason = "other"; });
    changed([](auto& a) { a[2].outcome = models::Defect{"it broke"}; });
    changed([](auto& a) { a[2].outcome = models::Defect{"it broke", models::DefectKind::timeout}; });
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
}

TEST(Digest, knows_one_NaN_only) {
    auto const with = [](double nan) {
        auto results = sample::results(0, 1);
        std::get<models::Metrics>(results[0].outcome)[2] = models::Estimate::unbounded(nan);
        return search::digest("space", sample::store(results));
    };
    EXPECT_EQ(with(std::nan("1")), with(-std::nan("2")));
}

}  // namespace
}  // namespace pimdse::dse::store::digest_test
