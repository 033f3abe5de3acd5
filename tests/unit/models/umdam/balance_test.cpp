#include "models/umdam/costs.hpp"
#include "models/umdam/system.hpp"
#include "models/umdam/weight_layouts.hpp"
#include "models/umdam/weight_order.hpp"
#include "requested.hpp"
#include "tests/unit/models/umdam/organisations.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace pimdse::models::umdam::balance_test {
namespace {

using testing::paper_organisation;

/// Every part of a column in one bank, the parts of a column in different channels, no two elements in one place.
TEST(Balance, puts_the_parts_of_a_column_in_channels_of_their_own) {
    auto const o = paper_organisation();
    auto const mapping = sim::dram::make_mapping(columns_in_banks(o, 256), o);
    for (auto const& [inputs, outputs] : {std::pair{768, 100}, {1025, 63}, {17, 65}, {300, 7}}) {
        for (std::int64_t const parts : {1, 2, 4}) {
            for (std::int64_t const width : {64, 128}) {
                LayoutOptions options;
                options.split = parts;
                options.tile_width = width;
                Layout const layout(inputs, outputs, o, options);
                std::set<std::uint64_t> places;
                for (std::int64_t n = 0; n < outputs; ++n) {
                    std::set<std::tuple<std::int64_t, unsigned, unsigned>> banks;
                    std::set<unsigned> channels;
                    std::set<std::int64_t> used;
                    for (std::int64_t k = 0; k < inputs; ++k) {
                        auto const address = layout.address(k, n);
                        ASSERT_TRUE(places.insert(address).second);
                        ASSERT_LT(static_cast<std::int64_t>(address), layout.bytes());
                        auto const place = mapping.place(address);
                        banks.emplace(k / layout.part(), place.channel, place.bank);
                        channels.insert(place.channel);
                        used.insert(k / layout.part());
                    }
                    ASSERT_EQ(banks.size(), used.size());
                    ASSERT_EQ(channels.size(), used.size());
                }
                auto const check = check_layout(layout, mapping, o);
                EXPECT_TRUE(check.holds()) << inputs << " x " << outputs << " in " << parts;
            }
        }
    }
}

/// The chosen placement is a fastest one of all, by the closed form alone; that of relayout is among them.
TEST(Balance, chooses_the_least_time_of_all_placements) {
    for (auto const* llm : {"opt-125m", "opt-1.3b", "llama-3-8b"}) {
        for (auto const* channels : {"4", "32", "64"}) {
            testing::Requested const of(
                {{"llm", llm}, {"channels", channels}, {"baseline", "pimnast"}, {"ignore_capacity", "true"}});
            ASSERT_TRUE(of.exists);
            auto const& d = of.system;
            OperationCosts costs(of.prepared(), d, Fidelity::analytic);
            auto const list = placements(d);
            EXPECT_EQ(list.front().parts, 1);
            EXPECT_EQ(list.front().width, lanes(d.standard.organisation));
            for (auto const& m : d.matrices) {
                EXPECT_EQ(m.placement.width, lanes(d.standard.organisation));
                double const chosen = costs.gemv(m, 1.0, 1.0).seconds.value;
                for (auto const& other : list) {
                    auto const stored = placed_at(other, m, d);
                    ASSERT_LE(chosen, costs.gemv(stored, 1.0, 1.0).seconds.value) << llm << " " << channels;
                }
            }
        }
    }
}

}  // namespace
}  // namespace pimdse::models::umdam::balance_test
