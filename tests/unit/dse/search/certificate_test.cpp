#include "dse/search/certificate.hpp"
#include "tests/unit/says.hpp"

#include <gtest/gtest.h>
#include <random>

namespace pimdse::dse::space::certificate_test {
namespace {

using models::Bound;
using Strings = std::vector<std::string>;

search::Certificate with_grounds(std::vector<Bound> const& kinds) {
    search::Certificate certificate;
    for (auto const kind : kinds) certificate.grounds.push_back({kind, 0.0});
    return certificate;
}

TEST(Certificate, is_exact_only_where_every_bound_is_proved_and_nothing_is_open) {
    Strings const names{"latency", "energy", "area"};
    auto certificate = with_grounds({Bound::proved, Bound::proved, Bound::proved});
    EXPECT_THAT(search::statement_of(certificate, names), says("proved"));
    certificate.open = {PointId{3}, PointId{9}};
    EXPECT_THAT(search::statement_of(certificate, names), says("two-points-open"));
    certificate.grounds[1].kind = Bound::calibrated;
    certificate.grounds[2].kind = Bound::none;
    EXPECT_THAT(search::statement_of(certificate, names), says("two-points-open-calibrated"));
    certificate.open.clear();
    EXPECT_THAT(search::statement_of(certificate, names), says("calibrated"));
    certificate.epsilon = 0.02;
    EXPECT_THAT(search::statement_of(certificate, names), says("within-epsilon-calibrated"));
    certificate.grounds = with_grounds({Bound::proved, Bound::proved, Bound::proved}).grounds;
    EXPECT_THAT(search::statement_of(certificate, names), says("within-epsilon-proved"));
}

TEST(Certificate, accepts_its_statement_in_the_words_of_older_files_and_no_other) {
    Strings const names{"latency", "energy"};
    auto certificate = with_grounds({Bound::proved, Bound::proved});
    EXPECT_TRUE(search::is_statement_of("front exact (proved lower bounds)", certificate, names));
    EXPECT_TRUE(search::is_statement_of("front exact (proved lows)", certificate, names));
    EXPECT_FALSE(search::is_statement_of("front within 2 % (proved lows)", certificate, names));
    certificate.grounds[1].kind = Bound::calibrated;
    EXPECT_TRUE(search::is_statement_of("front exact if the calibrated lows of energy hold", certificate, names));
    EXPECT_FALSE(search::is_statement_of("front exact (proved lows)", certificate, names));
    EXPECT_FALSE(search::is_statement_of("", certificate, names));
}

TEST(Certificate, counts_open_points_and_not_the_boxes_they_are_in) {
    auto certificate = with_grounds({Bound::proved});
    certificate.grids = {{0, {100, 4}}};
    certificate.open = {PointId{0}, PointId{40}};
    certificate.open_extents = {10, 4, 3, 1};
    EXPECT_THAT(search::statement_of(certificate, {"latency"}), says("open-points-in-boxes"));
}

/// Boxes of one place as they are written, and how many points are in them.
struct Boxes {
    std::vector<PointId> firsts;
    std::vector<std::uint32_t> extents;
    std::uint64_t points = 0;
};

Boxes random_boxes(std::mt19937_64& random, std::size_t axes) {
    Boxes boxes;
    for (std::uint64_t count = random() % 5; count > 0; --count) {
        boxes.firsts.push_back(PointId{random()});
        std::uint64_t points = 1;
        for (std::size_t a = 0; a < axes; ++a) {
            boxes.extents.push_back(1 + static_cast<std::uint32_t>(random() % 1'000'000));
            points *= boxes.extents.back();
        }
        boxes.points += points;
    }
    return boxes;
}

TEST(Certificate, counts_what_is_in_boxes_beyond_32_bits) {
    std::mt19937_64 random(4);
    for (int round = 0; round < 200; ++round) {
        std::size_t const axes = 1 + random() % 3;
        auto const pruned = random_boxes(random, axes), open = random_boxes(random, axes),
                   refused = random_boxes(random, axes);
        search::Certificate certificate;
        certificate.grids = {{0, std::vector<std::uint64_t>(axes, 1'000'000)}};
        certificate.pruned = pruned.firsts;
        certificate.pruned_extents = pruned.extents;
        certificate.open = open.firsts;
        certificate.open_extents = open.extents;
        certificate.refused = refused.firsts;
        certificate.refused_extents = refused.extents;
        certificate.infeasible = 7;
        auto const counts = search::points_in(certificate);
        EXPECT_EQ(counts.pruned, pruned.points);
        EXPECT_EQ(counts.open, open.points);
        EXPECT_EQ(counts.infeasible, refused.points + 7);
    }
}

TEST(Certificate, counts_single_points_where_there_are_no_grids) {
    search::Certificate certificate;
    certificate.pruned = {PointId{1}, PointId{2}, PointId{5}};
    certificate.open = {PointId{4}};
    certificate.infeasible = 9;
    auto const counts = search::points_in(certificate);
    EXPECT_EQ(counts.pruned, 3U);
    EXPECT_EQ(counts.open, 1U);
    EXPECT_EQ(counts.infeasible, 9U);
}

TEST(Certificate, says_of_an_audit_what_it_found_and_what_that_means_for_all) {
    search::Certificate certificate;
    EXPECT_EQ(search::audit_text(certificate), "");
    certificate.audited = 100;
    EXPECT_THAT(search::audit_text(certificate), says("none-wrong"));
    certificate.audited_wrong = 1;
    EXPECT_THAT(search::audit_text(certificate), says("one-wrong")) << "the rule of three needs none";
    certificate.audited_equal_keys = 7;
    EXPECT_THAT(search::audit_text(certificate), says("one-wrong-and-equal-keys"));
    certificate.audited = certificate.audited_wrong = 0;
    EXPECT_THAT(search::audit_text(certificate), says("equal-keys-only"));
}

TEST(Certificate, says_what_lower_bounds_would_have_cost) {
    search::Certificate certificate;
    EXPECT_EQ(search::sensitivity_text(certificate), "");
    certificate.sensitivities = {{0.05, 12}, {0.1, 340}};
    EXPECT_THAT(search::sensitivity_text(certificate), says("five-and-ten-percent-lower"));
}

TEST(Certificate, names_its_objectives_by_their_metrics_and_not_by_their_order) {
    Columns columns;
    columns.metrics = {{"latency", "s", "", models::Sense::minimize, false},
                       {"power", "W", "", models::Sense::minimize, false},
                       {"area", "m2", "", models::Sense::minimize, false}};
    columns.objectives = {{2, models::Sense::minimize}, {0, models::Sense::minimize}};
    EXPECT_EQ(search::objective_names(columns), (Strings{"area", "latency"}));
    columns.objectives.push_back({3, models::Sense::minimize});
    EXPECT_THROW((void)search::objective_names(columns), std::out_of_range);
}

}  // namespace
}  // namespace pimdse::dse::space::certificate_test
