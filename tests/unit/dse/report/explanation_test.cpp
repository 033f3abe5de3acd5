#include "dse/report/explanation.hpp"

#include "dse/space/evaluation.hpp"
#include "models/contract/parameter_text.hpp"
#include "sim/base/json.hpp"
#include "tests/unit/dse/small_space.hpp"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

namespace pimdse::dse::report::explanation_test {
namespace {

using models::Fidelity;
using space::PointId;

search::ResultStore results_of_all(space::Space const& space) {
    search::ResultStore store(space.metrics().size());
    for (std::uint64_t id = 0; id < space.size(); ++id)
        store.insert(space::evaluate(space, {PointId{id}, Fidelity::analytic}));
    return store;
}

/// Parameters in which two points of the first machine differ.
std::size_t differing(space::Space const& space, PointId a, PointId b) {
    std::vector<models::Value> left, right;
    space.decode(a, left);
    space.decode(b, right);
    std::size_t count = 0;
    for (std::size_t p = 0; p < left.size(); ++p) count += left[p] == right[p] ? 0 : 1;
    return count;
}

TEST(Changes, go_one_step_along_numbers_and_to_every_other_choice) {
    auto const space = dse::testing::small_space();
    for (std::uint64_t id = 0; id < space.size(); ++id) {
        auto const changes = changes_of(space, PointId{id});
        std::set<PointId> points;
        for (auto const& change : changes.list) {
            EXPECT_EQ(differing(space, PointId{id}, change.point), 1U);
            points.insert(change.point);
        }
        EXPECT_EQ(points.size(), changes.list.size());
        EXPECT_EQ(changes.left_out, 0U);
        // llm, gating: one other each; lora_rank (3 values) and mesh_rows (4): one or two beside.
        std::uint64_t const rows = id / 2 % 4, rank = id / 8 % 3;
        EXPECT_EQ(points.size(), 2U + (rows == 0 || rows == 3 ? 1U : 2U) + (rank == 0 || rank == 2 ? 1U : 2U)) << id;
    }
}

TEST(Changes, exchange_neighbours_of_an_ordering) {
    auto const space = space::parse_space(R"(schema = 1
architecture = "cim_mesh"
objectives = ["latency"]
[parameters]
attention_order = { permute = ["q", "k", "v", "o"] }
)",
                                          "orders.toml");
    auto const& machine = space.machines()[0];
    for (std::uint64_t const id : {0U, 1U, 7U, 16U, 23U}) {
        std::vector<models::Value> point;
        auto const changes = changes_of(space, PointId{id});
        ASSERT_EQ(changes.list.size(), 3U);
        std::set<std::size_t> places;
        for (auto const& change : changes.list) {
            auto const& items = machine.parameters()[change.parameter].items;
            auto before = models::permutation(items, change.from.as_permutation());
            auto const after = models::permutation(items, change.to.as_permutation());
            auto const [left, right] = std::mismatch(before.begin(), before.end(), after.begin());
            ASSERT_NE(left, before.end());
            places.insert(static_cast<std::size_t>(left - before.begin()));
            std::iter_swap(left, left + 1);
            EXPECT_EQ(before, after);
        }
        EXPECT_EQ(places.size(), 3U);
    }
}

/// Extremes far behind the front, which both stores have; shares are of what a store has, and left out.
sim::Json far_behind_only(sim::Json const& extremes) {
    std::map<std::string, sim::Json> by_metric;
    for (auto extreme : extremes) {
        extreme.erase("share_not_better");
        if (extreme["times_best_on_front"].get<double>() > far_behind_front)
            by_metric[extreme["metric"].get<std::string>()] = extreme;
    }
    return by_metric;
}

TEST(Explanation, is_the_same_whether_changes_are_restored_or_evaluated) {
    auto const space = dse::testing::small_space();
    auto const store = results_of_all(space);
    FrontView const front_view(store, space.objectives(), Fidelity::analytic);
    search::ResultStore few(space.metrics().size());
    for (auto const at : front_view.front())
        few.insert(store.result(*store.find({front_view.id(at), Fidelity::analytic})));
    for (std::uint64_t id = 0; id < space.size(); id += 5) {
        auto const known = explanation_of({space, store, front_view}, PointId{id});
        auto const fresh = explanation_of({space, few, front_view}, PointId{id});
        EXPECT_TRUE(known.restored);
        auto left = explanation_json({space, store, front_view}, known),
             right = explanation_json({space, few, front_view}, fresh);
        for (auto* text : {&left, &right}) {
            text->erase("remembered");
            (*text)["extremes"] = far_behind_only((*text)["extremes"]);
            for (auto& change : (*text)["changes"]) change.erase("remembered");
        }
        EXPECT_EQ(left, right);
        auto const told = explanation_of({space, few, front_view, nullptr, 1, false}, PointId{id});
        EXPECT_EQ(told.effects.size() + told.changes_not_evaluated, known.effects.size());
    }
}

TEST(Explanation, names_the_best_change_of_each_parameter_and_the_largest_gain) {
    auto const space = dse::testing::small_space();
    auto const store = results_of_all(space);
    FrontView const front_view(store, space.objectives(), Fidelity::analytic);
    auto const explanation = explanation_of({space, store, front_view}, front_view.id(front_view.front().back()));
    auto const& effects = explanation.effects;
    std::set<std::size_t> parameters;
    for (auto const best : best_of_each_parameter(effects)) {
        EXPECT_TRUE(parameters.insert(effects[best].change.parameter).second);
        for (auto const& other : effects) {
            if (other.change.parameter != effects[best].change.parameter || !other.feasible()) continue;
            EXPECT_TRUE(effects[best].feasible() && *effects[best].needed_gain <= *other.needed_gain);
        }
    }
    for (std::size_t i = 0; i < 2; ++i) {
        auto const max = max_gain(effects, i, explanation.vector);
        for (auto const& effect : effects) {
            if (!effect.feasible()) continue;
            EXPECT_GE(effect.vector[i], max ? effects[*max].vector[i] : explanation.vector[i]);
        }
    }
}

TEST(Explanation, evaluates_no_change_when_its_time_is_up) {
    auto const space = dse::testing::small_space();
    auto const all = results_of_all(space);
    FrontView const front_view(all, space.objectives(), Fidelity::analytic);
    auto const point = front_view.id(front_view.front().front());
    search::ResultStore own(space.metrics().size());
    own.insert(all.result(*all.find({point, Fidelity::analytic})));
    auto const explained_until = [&](std::chrono::seconds from_now) {
        return explanation_of({.space = space,
                               .store = own,
                               .front_view = front_view,
                               .threads = 2,
                               .until = ExplainContext::Clock::now() + from_now},
                              point);
    };
    auto const changes = changes_of(space, point).list.size();
    auto const late = explained_until(std::chrono::seconds(-1));
    EXPECT_EQ(late.effects.size(), 0U);
    EXPECT_EQ(late.changes_not_evaluated, changes);
    auto const early = explained_until(std::chrono::hours(1));
    EXPECT_EQ(early.effects.size(), changes);
    EXPECT_EQ(early.changes_not_evaluated, 0U);
    auto const whole = explanation_of({space, own, front_view}, point);
    for (std::size_t i = 0; i < changes; ++i) EXPECT_EQ(early.effects[i].vector, whole.effects[i].vector);
}

TEST(Explanation, says_how_far_conditions_are_also_where_one_is_missed) {
    auto text = testing::small_space_text();
    text.replace(text.find("10 s"), 4, "100 ms");
    auto const space = space::parse_space(text, "small.toml");
    auto const store = results_of_all(space);
    FrontView const front_view(store, space.objectives(), Fidelity::analytic);
    bool met = false, missed = false;
    for (std::uint64_t id = 0; id < space.size(); ++id) {
        auto const explanation = explanation_of({space, store, front_view, nullptr, 1, false}, PointId{id});
        ASSERT_EQ(explanation.margins.size(), 1U);
        auto const& margin = explanation.margins[0];
        if (!margin.known) continue;
        EXPECT_EQ(margin.holds, explanation.standing.has_value());
        EXPECT_EQ(margin.holds, margin.slack >= 0.0);
        met = met || margin.holds;
        missed = missed || !margin.holds;
    }
    EXPECT_TRUE(met && missed);
}

TEST(Explanation, of_a_feasible_point_says_where_its_time_goes) {
    auto const space = dse::testing::small_space();
    auto const store = results_of_all(space);
    FrontView const front_view(store, space.objectives(), Fidelity::analytic);
    auto const explanation = explanation_of({space, store, front_view}, front_view.id(0));
    double seconds = 0.0;
    for (auto const& share : explanation.spending.at(0).parts.time) seconds += share.amount;
    EXPECT_NEAR(seconds, explanation.vector[0], 1e-9 * seconds);
}

TEST(CertificateEntry, is_found_in_the_list_of_the_certificate_that_has_the_point) {
    search::Certificate certificate;
    certificate.pruned = {PointId{3}, PointId{5}};
    certificate.witnesses = {PointId{1}, PointId{2}};
    certificate.best = {{10.0, 20.0}, {30.0, 40.0}};
    certificate.equal_keys = {PointId{6}};
    certificate.representatives = {PointId{2}};
    certificate.open = {PointId{7}};
    search::ResultStore store(2);
    store.insert({{PointId{2}, Fidelity::cycle}, models::Metrics(2, models::Estimate::exact(1.0)), 0.0, 0});
    auto const entry = [&](std::uint64_t id) { return certificate_entry_of(certificate, store, PointId{id}); };
    EXPECT_EQ(entry(5).state, CertificateEntry::State::pruned);
    EXPECT_EQ(entry(5).by, PointId{2});
    EXPECT_EQ(entry(5).best, (std::vector{20.0, 40.0}));
    EXPECT_EQ(entry(6).state, CertificateEntry::State::equal_key);
    EXPECT_EQ(entry(6).by, PointId{2});
    EXPECT_EQ(entry(7).state, CertificateEntry::State::open);
    EXPECT_EQ(entry(2).state, CertificateEntry::State::evaluated);
    EXPECT_EQ(entry(0).state, CertificateEntry::State::infeasible);
}

}  // namespace
}  // namespace pimdse::dse::report::explanation_test
