#include "models/umdam/classes.hpp"
#include "models/contract/parameter_text.hpp"

#include "models/umdam/classes.hpp"
#include "models/umdam/parameters.hpp"
#include "organisations.hpp"
#include "shipped.hpp"
#include "sim/base/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <set>

namespace pimdse::models::umdam::classes_test {
namespace {

using sim::dram::Mapping;
using sim::dram::Visible;
using testing::paper_organisation;

constexpr Visible groups_seen{}, groups_merged{false, false, false};

std::vector<int> every_coll() { return {0, 1, 2, 3, 4, 5, 6}; }

Matrix matrix(std::int64_t inputs, std::int64_t outputs) {
    Matrix m;
    m.inputs = inputs;
    m.outputs = outputs;
    return m;
}

Census census_of(std::vector<MappingCandidate> const& candidates, Visible visible = groups_seen,
                 std::vector<Matrix> matrices = {matrix(768, 3072)},
                 Organisation const& organisation = paper_organisation()) {
    return census(candidates, {{organisation, visible}}, {{0, {}, std::move(matrices)}});
}

TEST(Classes, counts_114_orders_with_the_row_on_top) {
    auto const seen = census_of(row_highest_orders(every_coll()));
    EXPECT_EQ(seen.candidates, 24U * 7);
    EXPECT_EQ(seen.classes.size(), 114U);
    EXPECT_LT(census_of(row_highest_orders(every_coll()), groups_merged).classes.size(), 114U);
}

/// Address bits that change inside a column of a 768 x 3072 matrix: the ColL bits, and those that count its tiles. The
/// tile counter runs over tile_rows * 48 tiles; unless tile_rows is a power of two every bit of it changes inside some
/// column.
bool changes_inside_a_column(int bit, int coll) {
    int const first_lane = 5 + coll, first_tile = first_lane + 6;
    if (bit < first_lane) return true;
    unsigned const tile_rows = (768U + (16U << coll) - 1) / (16U << coll);
    unsigned const counted = std::has_single_bit(tile_rows) ? tile_rows : tile_rows * 48;
    return bit >= first_tile && bit < first_tile + static_cast<int>(std::bit_width(counted - 1));
}

TEST(Classes, calls_legal_exactly_the_orders_whose_lane_bits_are_constant_inside_a_column) {
    using sim::dram::Field;
    auto const organisation = paper_organisation();
    auto const found = census_of(field_orders(every_coll()));
    std::set<std::string> const legal(found.legal.begin(), found.legal.end());
    for (auto const& text : found.classes) {
        auto const mapping = sim::dram::make_mapping(order_on(read_mapping(text), organisation, -1), organisation);
        bool whole = true;
        for (auto const field : {Field::channel, Field::group, Field::bank}) {
            for (auto const mask : mapping.masks(field))
                whole &= !changes_inside_a_column(std::countr_zero(mask), matching_coll_bits(mapping));
        }
        EXPECT_EQ(legal.contains(text), whole) << text;
    }
    EXPECT_GT(legal.size(), 100U);
    EXPECT_LT(legal.size(), found.classes.size() * 2 / 3);
}

TEST(Classes, tells_all_13860_orders_of_twelve_bits_apart_when_groups_do_not_matter) {
    auto organisation = paper_organisation();
    organisation.bank_groups = 1;
    organisation.banks = 16;
    auto const found = census_of(bit_orders(organisation, 20000), groups_merged, {matrix(768, 768)}, organisation);
    EXPECT_EQ(found.candidates, 13860U);
    EXPECT_EQ(found.classes.size(), 13860U);
    EXPECT_EQ(found.legal.size(), 7U * 15);  // ColL times orders of two channel and four bank bits
}

TEST(Classes, keeps_hashes_that_do_not_break_columns_of_the_matrices_at_hand) {
    std::vector<MappingCandidate> const plain{{read_mapping("row-colm-bank-group-channel-coll3"), -1}};
    auto const candidates =
        hashed(plain, {read_mapping("umdam x.ba.ro.0.2").terms, read_mapping("umdam x.ba.ro.2.2").terms});
    ASSERT_EQ(candidates.size(), 3U);
    auto const legal = [&](std::int64_t inputs) {
        return census_of(candidates, groups_seen, {matrix(inputs, inputs)}).legal;
    };
    using ::testing::ElementsAre;
    EXPECT_THAT(legal(768), ElementsAre(text_of(candidates[0].mapping)));  // six tiles: no power of two
    EXPECT_THAT(legal(4096), ElementsAre(text_of(candidates[0].mapping),
                                         text_of(candidates[2].mapping)));  // 32 tiles: row bits 2 and 3 lie above them
    EXPECT_THAT(legal(7168), ElementsAre(text_of(candidates[0].mapping)));
    EXPECT_EQ(census_of(candidates, groups_seen, {}).legal.size(), 3U);  // nothing multiplied in memory
}

TEST(Classes, merge_candidates_only_if_every_memory_does) {
    auto narrow = paper_organisation();
    narrow.bank_groups = 1;
    std::vector<MappingCandidate> const two{{read_mapping("row-colm-bank-group-channel-coll3"), -1},
                                            {read_mapping("row-colm-group-bank-channel-coll3"), -1}};
    auto const use = std::vector<Use>{{0, {}, {matrix(768, 768)}}};
    EXPECT_EQ(census(two, {{narrow, groups_seen}}, use).classes.size(), 1U);
    EXPECT_EQ(census(two, {{narrow, groups_seen}, {paper_organisation(), groups_seen}}, use).classes.size(), 2U);
}

/// A space's request, with what the space says of other parameters.
Classes asked(std::string family, std::map<std::string, std::vector<std::string>> const& others = {},
              std::map<std::string, std::vector<std::string>> details = {}) {
    auto table = shipped_umdam().parameters();
    AxisValues values(table.size());
    for (auto const& [name, texts] : others) {
        auto const at = static_cast<std::size_t>(find_parameter(table, name));
        for (auto const& text : texts) values[at].push_back(read_value(table[at], text));
    }
    auto const at = static_cast<std::size_t>(find_parameter(table, "mapping"));
    return shipped_umdam().classes(table, {at, std::move(family), std::move(details)}, values);
}

std::uint64_t count(Classes const& classes, std::string const& what) {
    for (auto const& [name, number] : classes.counts) {
        if (name == what) return number;
    }
    return 0;
}

TEST(ClassRequests, enumerate_every_coll_unless_the_space_names_some) {
    auto const all = asked("all", {{"llm", {"opt-125m"}}});
    EXPECT_EQ(count(all, "candidates"), 720U * 7);
    EXPECT_EQ(count(all, "legal"), all.texts.size());
    ASSERT_EQ(all.decided.size(), 1U);
    EXPECT_EQ(all.decided.front().second, Value::integer(-1));
    auto const three = asked("all", {{"llm", {"opt-125m"}}, {"coll_bits", {"3"}}});
    EXPECT_EQ(count(three, "candidates"), 720U);
    EXPECT_LT(three.texts.size(), all.texts.size());
    EXPECT_THAT(three.texts, ::testing::Contains("row-colm-bank-group-channel-coll3"));
}

TEST(ClassRequests, prune_nothing_where_pim_does_not_need_the_mapping) {
    for (auto const& [name, value] :
         std::map<std::string, std::string>{{"split_k", "true"}, {"baseline", "relayout"}}) {
        auto const free = asked("row_highest", {{"llm", {"opt-125m"}}, {name, {value}}});
        EXPECT_EQ(count(free, "legal"), count(free, "distinct")) << name;
    }
    auto const bound = asked("row_highest", {{"llm", {"opt-125m"}}});
    EXPECT_LT(count(bound, "legal"), count(bound, "distinct"));
}

TEST(ClassRequests, count_the_orderings_of_a_permutation_with_their_coll) {
    auto const counted = asked("", {{"llm", {"opt-125m"}}, {"coll_bits", {"2", "3"}}});
    EXPECT_EQ(count(counted, "candidates"), 720U * 2);
    EXPECT_TRUE(counted.texts.empty());
    EXPECT_TRUE(counted.decided.empty());
    EXPECT_LT(count(counted, "distinct"), 720U * 2);
    EXPECT_GT(count(counted, "legal"), 0U);
}

TEST(ClassRequests, are_refused_in_one_sentence) {
    EXPECT_THROW((void)asked("every"), sim::InputError);
    EXPECT_THROW((void)asked("all", {}, {{"xor", {"x.zz.ro.0.2"}}}), sim::InputError);
    EXPECT_THROW((void)asked("all", {}, {{"hash", {"x.ba.ro.0.2"}}}), sim::InputError);
    EXPECT_THROW((void)asked("bits", {{"channels", {"2", "4"}}}), sim::InputError);
    EXPECT_THROW((void)asked("bits", {{"channels", {"64"}}}), sim::InputError);
    EXPECT_THROW((void)asked("all", {{"channels", {"3"}}}), sim::InputError);
    auto table = shipped_umdam().parameters();
    EXPECT_THROW((void)shipped_umdam().classes(table, {0, "all", {}}, AxisValues(table.size())), sim::InputError);
}

/// Every text that a request gives is a mapping the space can read, and its points are not refused for their mapping.
TEST(ClassRequests, give_texts_that_can_be_evaluated) {
    auto const& architecture = shipped_umdam();
    auto const found = asked("all", {{"llm", {"opt-125m"}}}, {{"xor", {"x.ba.ro.6.2"}}});
    auto table = architecture.parameters();
    auto point = default_point(table);
    auto const at = [&](char const* name) { return static_cast<std::size_t>(find_parameter(table, name)); };
    point[at("llm")] = read_value(table[at("llm")], "opt-125m");
    point[at("coll_bits")] = Value::integer(-1);
    std::vector<Value> mappings;
    for (auto const& text : found.texts) mappings.push_back(read_value(table[at("mapping")], text));
    auto const inputs = prepare(architecture, table);
    for (auto const& mapping : mappings) {
        point[at("mapping")] = mapping;
        auto const outcome = evaluate_safely(architecture, inputs, point, Fidelity::analytic);
        ASSERT_TRUE(std::holds_alternative<Metrics>(outcome)) << print_value(table[at("mapping")], mapping);
        EXPECT_EQ(
            std::get<Metrics>(outcome)[static_cast<std::size_t>(find_metric(shipped_umdam().metrics(), "split_factor"))]
                .value,
            1.0);
    }
}

}  // namespace
}  // namespace pimdse::models::umdam::classes_test
