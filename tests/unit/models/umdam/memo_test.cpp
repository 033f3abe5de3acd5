// The cached value of a key is the one that is computed anew, and two designs that share a key share the value.

#include "models/contract/parameter_text.hpp"
#include "models/contract/validation.hpp"
#include "models/umdam/parameters.hpp"
#include "models/umdam/system.hpp"
#include "shipped.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/models/umdam/random_setting.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <random>

namespace pimdse::models::umdam::memo_test {
namespace {

using sim::dram::Access;
using testing::printed;
using testing::RandomSetting;
using testing::Setting;

/// All of a table's texts are known, so that points of any setting can be read against one memory.
struct World {
    explicit World(std::vector<Setting> const& settings) {
        auto table = shipped_umdam().parameters();
        for (auto const& setting : settings) points.push_back(point_with(table, setting));
        inputs = models::prepare(shipped_umdam(), table);
    }
    [[nodiscard]] Prepared const& prepared() const { return prepared_of(inputs); }
    [[nodiscard]] std::optional<System> system(std::size_t i) const {
        auto made = make_system(prepared(), design_at(inputs, points[i]));
        if (auto* found = std::get_if<System>(&made)) return *found;
        return std::nullopt;
    }
    [[nodiscard]] Streams streams(System const& s, Fidelity fidelity) const {
        return {prepared().streams, prepared().machine, {s.design, s.standard, *s.timing_set, *s.mapping}, fidelity};
    }

    Inputs inputs;
    std::vector<std::vector<Value>> points;
};

std::vector<Setting> random_settings(std::uint64_t seed, std::size_t count, Setting const& more) {
    RandomSetting random(seed);
    std::vector<Setting> settings;
    for (std::size_t i = 0; i < count; ++i) {
        settings.push_back(random.next());
        settings.back().insert(settings.back().end(), more.begin(), more.end());
    }
    return settings;
}

bool same(sim::Bounded const& a, sim::Bounded const& b) {
    if (std::isnan(a.value) || std::isnan(b.value)) return std::isnan(a.value) == std::isnan(b.value);
    return a.value == b.value && a.lower == b.lower && a.upper == b.upper && a.kinds == b.kinds;
}

/// Every design alone, with a memory of its own, and after all the others, in the memory they share.
TEST(Memo, gives_every_design_what_it_is_given_alone) {
    auto const settings = random_settings(11, 80, {{"llm", "opt-125m"}, {"lm_head", "skip"}});
    World const shared(settings);
    auto const& architecture = shipped_umdam();
    for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle}) {
        std::size_t const count = fidelity == Fidelity::analytic ? settings.size() : 10;
        for (std::size_t i = 0; i < count; ++i)
            (void)evaluate_safely(architecture, shared.inputs, shared.points[i], fidelity);
        for (std::size_t i = 0; i < count; ++i) {
            World const alone({settings[i]});
            auto const a = evaluate_safely(architecture, shared.inputs, shared.points[i], fidelity),
                       b = evaluate_safely(architecture, alone.inputs, alone.points[0], fidelity);
            ASSERT_EQ(a.index(), b.index()) << printed(settings[i]);
            if (!std::holds_alternative<Metrics>(a)) continue;
            for (std::size_t m = 0; m < std::get<Metrics>(a).size(); ++m)
                EXPECT_TRUE(same(std::get<Metrics>(a)[m], std::get<Metrics>(b)[m])) << printed(settings[i]);
        }
    }
}

TEST(Memo, mappings_of_equal_keys_are_one_and_read_as_they_are_afresh) {
    auto const settings = random_settings(3, 200, {{"ignore_capacity", "true"}});
    World const world(settings);
    for (std::size_t i = 0; i < settings.size(); ++i) {
        auto const a = world.system(i);
        if (!a) continue;
        World const alone({settings[i]});
        EXPECT_EQ(a->mapping->text(), alone.system(0)->mapping->text());
        for (std::size_t j = 0; j < i; ++j) {
            auto const b = world.system(j);
            if (!b || b->mapping != a->mapping) continue;
            EXPECT_EQ(b->standard.organisation, a->standard.organisation);
        }
    }
}

TEST(Memo, localities_walks_and_tilings_are_those_found_afresh) {
    auto const settings = random_settings(5, 80, {{"ignore_capacity", "true"}, {"baseline", "umdam"}});
    World const world(settings);
    auto const& tiles = world.prepared().machine.mappings.tiles_looked_at;
    for (std::size_t i = 0; i < settings.size(); ++i) {
        auto const s = world.system(i);
        if (!s) continue;
        for (auto matrix : s->matrices) {
            auto const cached = matrix.locality;
            auto const shape = stored_shape(matrix, s->design, s->standard.organisation, s->interleave);
            auto const afresh = locality_of(*s->mapping, shape, tiles);
            EXPECT_EQ(cached.split, afresh.split);
            EXPECT_EQ(cached.phases, afresh.phases);
            EXPECT_EQ(cached.busiest, afresh.busiest);
        }
    }
    using sim::pim::BankWork;
    using sim::pim::walk_of;
    BankWork const work{4096, 12, 2048, 32, 1024, LoopOrder::kseg, 1};
    EXPECT_EQ(world.prepared().walks.get(work, walk_of).row_activations, walk_of(work).row_activations);
    auto other = work;
    other.order = LoopOrder::nat;
    EXPECT_NE(work, other);
    EXPECT_NE(walk_of(work).row_activations, walk_of(other).row_activations);
    GemmShape const product{128, 4096, 4096, 128, 64, 4096 * 4096 * 2, 8 << 20, 16};
    EXPECT_EQ(world.prepared().tilings.get(product, tilings).size(), tilings(product).size());
}

/// The closed form of a stream asks for shapes and paces by mapping, organisation, depth, engines and length;
/// scheduler, refresh and all that is not the memory's are no part of the keys.
TEST(Memo, shapes_and_paces_do_not_depend_on_what_is_not_in_their_keys) {
    std::mt19937_64 random(7);
    RandomSetting settings(7);
    for (int trial = 0; trial < tests::draws(60); ++trial) {
        auto const base = settings.next();
        auto with = [&](char const* scheduler, char const* refresh) {
            auto setting = base;
            for (auto const& [name, value] : Setting{{"scheduler", scheduler},
                                                     {"refresh", refresh},
                                                     {"ignore_capacity", "true"},
                                                     {"baseline", "npu_only"},
                                                     {"npu_buffer", "32 MiB"}})
                setting.emplace_back(name, value);
            return setting;
        };
        World const world({with("frfcfs", "none"), with("frfcfs-rowhit", "all_bank")});
        double const bytes = 32.0 * static_cast<double>(1 + random() % 200000);
        for (std::size_t i : {0U, 1U}) {
            auto const s = world.system(i);
            if (!s) continue;
            World const alone({with(i == 0 ? "frfcfs" : "frfcfs-rowhit", i == 0 ? "none" : "all_bank")});
            for (auto const access : {Access::read, Access::write}) {
                auto const shared = world.streams(*s, Fidelity::analytic).run(bytes, access),
                           fresh = alone.streams(*alone.system(0), Fidelity::analytic).run(bytes, access);
                EXPECT_TRUE(same(shared.cycles, fresh.cycles)) << printed(base);
                EXPECT_TRUE(same(shared.row_activations, fresh.row_activations)) << printed(base);
            }
        }
    }
}

/// A bank bit hashed with a channel bit: another mapping that timing cannot tell apart, so the same key.
TEST(Memo, streams_of_one_mapping_class_are_simulated_once_and_alike) {
    auto const setting = [](char const* mapping) {
        return Setting{{"llm", "opt-125m"}, {"density", "16"}, {"mapping", mapping}, {"baseline", "npu_only"}};
    };
    char const* const plain = "of5 co3 ch2 bg2 ba2 co3 ro16";
    char const* const renamed = "of5 co3 ch2 bg2 ba2 co3 ro16 x.ba.ch.0.2";
    World const world({setting(plain), setting(renamed)});
    ASSERT_NE(world.system(0)->mapping, world.system(1)->mapping);
    for (auto const fidelity : {Fidelity::cycle}) {
        for (double const bytes : {100000.0, 3e6}) {
            for (std::size_t i : {0U, 1U}) {
                World const alone({setting(i == 0 ? plain : renamed)});
                auto const shared = world.streams(*world.system(i), fidelity).run(bytes, Access::read),
                           fresh = alone.streams(*alone.system(0), fidelity).run(bytes, Access::read);
                EXPECT_TRUE(same(shared.cycles, fresh.cycles));
                EXPECT_TRUE(same(shared.row_activations, fresh.row_activations));
            }
        }
    }
}

TEST(Memo, designs_that_differ_in_a_field_of_a_key_differ_in_the_key) {
    SimulationKey const stream;
    auto refreshed = stream, scheduled = stream, deep = stream, longer = stream, mapped = stream;
    refreshed.refresh = DramRefresh::none;
    scheduled.scheduler = Scheduler::frfcfs;
    deep.queue_depth = 64;
    longer.transfer.bursts = 7;
    mapped.mapping.spans[0] = {32};
    for (auto const& other : {refreshed, scheduled, deep, longer, mapped}) EXPECT_NE(stream, other);
}

}  // namespace
}  // namespace pimdse::models::umdam::memo_test
