#include "models/umdam/layout.hpp"
#include "sim/pim/pim_channel.hpp"
#include "sim/pim/tile_curve.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/models/umdam/organisations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace pimdse::models::umdam::tile_curves_test {
namespace {

using sim::dram::Field;
using sim::dram::Mapping;
using sim::dram::parse_mapping;
using sim::pim::BankWork;
using sim::pim::walk_of;
using testing::paper_organisation;

constexpr std::array curves{TileCurve::column_major, TileCurve::row_major, TileCurve::morton};

/// Counted element by element through layout and mapping.
Locality slow_locality(Mapping const& mapping, std::int64_t inputs, std::int64_t outputs,
                       LayoutOptions const& options) {
    Layout const layout(inputs, outputs, paper_organisation(), options);
    std::map<std::pair<unsigned, unsigned>, std::int64_t> bytes;
    std::map<std::tuple<unsigned, unsigned, unsigned>, std::set<std::int64_t>> held;
    Locality found;
    for (std::int64_t n = 0; n < outputs; ++n) {
        std::set<std::pair<unsigned, unsigned>> banks;
        for (std::int64_t k = 0; k < inputs; k += 16) {
            auto const address = layout.address(k, n);
            auto const place = mapping.place(address);
            banks.emplace(place.channel, place.bank);
            bytes[{place.channel, place.bank}] += 32;
            held[{place.channel, place.row, mapping.coordinates(address)[Field::column]}].insert(k);
        }
        found.split = std::max(found.split, static_cast<std::int64_t>(banks.size()));
    }
    for (auto const& [bank, count] : bytes) found.busiest = std::max(found.busiest, count);
    for (auto const& [place, of_x] : held)
        found.phases = std::max(found.phases, static_cast<std::int64_t>(of_x.size()));
    return found;
}

TEST(TileCurve, spreads_columns_over_as_many_banks_as_counting_every_element_finds) {
    std::mt19937_64 random(7);
    std::vector<std::string> const orders{"of5 co3 ch2 bg2 ba2 co3 ro15", "of5 ch2 bg2 ba2 co6 ro15",
                                          "of5 co3 ch2 bg2 ba2 co3 ro15 x.ba.ro.0.2",
                                          "of5 co1 ba1 co2 ch2 bg2 ba1 co3 ro15"};
    int whole = 0, spread = 0;
    for (int trial = 0; trial < tests::draws(60); ++trial) {
        LayoutOptions options;
        options.order = curves[random() % curves.size()];
        options.tile_width = std::int64_t{8} << random() % 6;  // 8 to 256 of 64 banks
        std::int64_t const inputs = 128 * static_cast<std::int64_t>(1 + random() % 8),
                           outputs = options.tile_width * static_cast<std::int64_t>(1 + random() % 5);
        auto const tokens = orders[random() % orders.size()];
        auto const mapping = parse_mapping(tokens, paper_organisation(), 3);
        StoredShape const shape{inputs / 128, outputs / options.tile_width, 256, options.tile_width, options.order};
        auto const found = locality_of(mapping, shape, 1e6);
        auto const slow = slow_locality(mapping, inputs, outputs, options);
        auto const where = tokens + " " + std::to_string(inputs) + " x " + std::to_string(outputs) + ", width " +
                           std::to_string(options.tile_width) + ", curve " +
                           std::to_string(static_cast<int>(options.order));
        EXPECT_EQ(found.split, slow.split) << where;
        EXPECT_EQ(found.busiest, slow.busiest) << where;
        EXPECT_EQ(found.phases, slow.phases) << where;
        EXPECT_EQ(is_legal(mapping, shape), found.split == 1 && found.lock_step) << where;
        (found.split == 1 ? whole : spread) += 1;
    }
    EXPECT_GT(whole, tests::draws(10, 1));
    EXPECT_GT(spread, tests::draws(10, 1));
}

/// Rows that a bank opens and multiplications for a matrix, by walking every column of the bank burst by burst.
std::pair<std::int64_t, std::int64_t> slow_visits(BankWork const& work, Layout const& layout, Mapping const& mapping) {
    std::int64_t opened = 0, macs = 0;
    auto const bank = mapping.place(0);
    for (std::int64_t segment = 0; segment * work.buffer_bytes < work.column_bytes; ++segment) {
        for (std::int64_t n = 0; n < layout.outputs(); ++n) {
            std::int64_t row = -1;
            for (std::int64_t k = segment * work.buffer_bytes / 2;
                 k < std::min((segment + 1) * work.buffer_bytes / 2, layout.inputs()); k += 16) {
                auto const place = mapping.place(layout.address(k, n));
                if (place.channel != bank.channel || place.bank != bank.bank) break;
                if (place.row != row) ++opened;
                row = place.row;
                ++macs;
            }
        }
    }
    return {opened, macs};
}

TEST(TileCurve, opens_the_rows_of_a_bank_that_walking_burst_by_burst_opens) {
    auto const mapping = parse_mapping("of5 co3 ch2 bg2 ba2 co3 ro15", paper_organisation(), 3);
    for (auto const curve : curves) {
        for (std::int64_t const width : {64, 128, 512}) {
            for (auto const& [inputs, outputs] : {std::pair{768, 1024}, {1024, 512}, {4096, 1536}, {128, 512}}) {
                LayoutOptions options;
                options.order = curve;
                options.tile_width = width;
                Layout const layout(inputs, outputs, paper_organisation(), options);
                TileGrid const grid{layout.tile_rows(), layout.tile_columns(), curve};
                BankWork const work{inputs * 2, outputs / 64, 2048,       32,  1024 * 2, LoopOrder::kseg,
                                    1,          256,          width / 64, grid};
                auto const walk = walk_of(work);
                auto const [opened, macs] = slow_visits(work, layout, mapping);
                EXPECT_EQ(walk.row_activations, opened) << inputs << " x " << outputs << " width " << width;
                EXPECT_EQ(walk.macs, macs);
                std::int64_t opening = 0, run_macs = 0, ends = 0;
                for (auto const& run : runs_of(work)) {
                    opening += run.opens_row ? 1 : 0;
                    run_macs += run.macs;
                    ends += run.ends_column ? 1 : 0;
                }
                EXPECT_EQ(opening, opened);
                EXPECT_EQ(run_macs, macs);
                EXPECT_EQ(ends, walk.mac_reads);
            }
        }
    }
}

TEST(TileCurve, of_columns_as_wide_as_the_banks_is_a_whole_column_in_a_bank) {
    for (std::int64_t const bytes : {1536, 8192}) {
        BankWork const whole{bytes, 12, 2048, 32, 2048, LoopOrder::kseg};
        BankWork const pieces{bytes, 12, 2048, 32, 2048, LoopOrder::kseg, 1, 256, 1, {bytes / 256, 12}};
        EXPECT_EQ(walk_of(pieces).row_activations, walk_of(whole).row_activations);
        EXPECT_EQ(walk_of(pieces).buffer_writes, walk_of(whole).buffer_writes);
    }
}

}  // namespace
}  // namespace pimdse::models::umdam::tile_curves_test
