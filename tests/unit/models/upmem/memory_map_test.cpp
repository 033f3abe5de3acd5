#include "models/upmem/memory_map.hpp"
#include "models/upmem/plan.hpp"
#include "models/upmem/result.hpp"
#include "support.hpp"

#include <map>
#include <random>

/// Addresses of the inputs and results of streams.
namespace pimdse::models::upmem::memory_map_test {
namespace {

std::optional<Planned> made(Settings const& settings) {
    auto const point = upmem().point(settings);
    auto result = planned(prepared(), point);
    if (auto* known = std::get_if<Planned>(&result)) return *known;
    return std::nullopt;
}

std::vector<MramRegion> map_of(Planned const& point) { return memory_map(prepared(), point.design, point.plan); }

}  // namespace

TEST(MemoryMap, of_streams_never_overlaps_and_ends_where_the_capacity_rule_says) {
    std::mt19937 random(1);
    auto const pick = [&](std::vector<std::string> const& of) { return of[random() % of.size()]; };
    int seen = 0;
    for (int i = 0; i < 600; ++i) {
        auto const point = made({{"kernel", pick({"va", "red", "hst-s", "scan-ssa", "sel", "uni", "gemv", "bs"})},
                                 {"elements", pick({"8", "1000", "65537", "4194304", "16000000"})},
                                 {"streams", pick({"1", "2", "3", "16", "64"})},
                                 {"dpus", pick({"1", "4", "64"})},
                                 {"ranks", pick({"1", "4"})},
                                 {"dma_block", "256"},
                                 {"results", pick({"in_place", "apart"})},
                                 {"reduction", pick({"host", "dpu"})},
                                 {"lock", pick({"exclusive", "double_bank", "rank_level"})}});
        if (!point) continue;
        // The rule counts the results of matrices only if they are apart; those of gemv are 1/64 of its rows.
        auto const& k = prepared().kernels[point->design.kernel];
        if (k.shape == WorkShape::rows && point->design.results == Results::in_place) continue;
        ++seen;
        auto const regions = map_of(*point);
        ASSERT_FALSE(regions.empty());
        double const half = 32.0 * 1024 * 1024;
        bool const banks = point->design.lock == Lock::double_bank;
        std::map<std::pair<std::int64_t, bool>, std::uint64_t> next;
        for (std::size_t n = 0; n < regions.size(); ++n) {
            auto const& r = regions[n];
            EXPECT_EQ(r.from % 8, 0U);
            EXPECT_EQ(r.bytes % r.element, 0U);
            if (r.replaces) {
                EXPECT_EQ(point->design.results, Results::in_place);
                EXPECT_EQ(r.from, regions[n - 1].from);
                EXPECT_LE(r.bytes, regions[n - 1].bytes);
                continue;
            }
            bool const second = banks && static_cast<double>(r.from) >= half;
            auto& free = next[{r.first_rank, second}];
            if (second) free = std::max(free, static_cast<std::uint64_t>(half));
            EXPECT_GE(r.from, free) << r.name;
            free = r.from + r.bytes;
        }
        auto const& plan = point->plan;
        double const slack = 8.0 * static_cast<double>(regions.size()) +
                             whole_words(1024.0) * static_cast<double>(plan.streams());  // results of fixed size
        for (auto const& [where, end] : next) {
            double const size = static_cast<double>(end) - (where.second ? half : 0.0);
            EXPECT_LE(size, (banks ? plan.resident_bank : plan.resident) + slack);
            EXPECT_LE(static_cast<double>(end), (where.second || !banks ? 2 : 1) * half + slack);
        }
    }
    EXPECT_GT(seen, 200);
}

TEST(MemoryMap, of_va_puts_the_sum_in_the_place_of_b_or_apart) {
    auto const in_place = map_of(*made({{"elements", "4096"}, {"streams", "2"}}));
    ASSERT_EQ(in_place.size(), 6U);
    EXPECT_EQ(in_place[2].name, "output0");
    EXPECT_TRUE(in_place[2].replaces);
    EXPECT_EQ(in_place[2].from, 8192U);
    EXPECT_EQ(in_place[3].from, 16384U);
    auto const apart = map_of(*made({{"elements", "4096"}, {"streams", "2"}, {"results", "apart"}}));
    ASSERT_EQ(apart.size(), 6U);
    EXPECT_FALSE(apart[2].replaces);
    EXPECT_EQ(apart[2].from, 16384U);
    EXPECT_EQ(apart[3].from, 24576U);
    EXPECT_EQ(upmem().value({{"elements", "4096"}, {"results", "apart"}}, "mram_per_dpu"), 3 * 4 * 4096);
    EXPECT_EQ(upmem().refusal({{"elements", "8388608"}}), "");
    EXPECT_EQ(upmem().refusal({{"elements", "8388608"}, {"results", "apart"}}).substr(0, 5), "mram:");
}

TEST(MemoryMap, names_bank_row_and_column_of_an_element) {
    auto const point = upmem().point({{"elements", "65536"}, {"dpus", "16"}, {"streams", "2"}});
    auto const layouts = mram_layouts(upmem().inputs(), point);
    ASSERT_FALSE(layouts.refused.has_value());
    auto const& b = layouts.matrices.at(1);
    EXPECT_EQ(b.matrix, "input0.B");
    EXPECT_EQ(b.inputs, 2048);
    EXPECT_EQ(b.outputs, 16);
    auto const place = b.place(300, 9);
    EXPECT_EQ(place.address, 8192U + 1200U);
    std::vector<std::pair<std::string, std::uint64_t>> const fields{
        {"rank", 0}, {"chip", 1}, {"dpu", 1}, {"row", 9}, {"column", 176}};
    EXPECT_EQ(place.fields, fields);
    auto const none = mram_layouts(upmem().inputs(), upmem().point({{"kernel", "mlp"}, {"elements", "1024"}}));
    ASSERT_TRUE(none.refused.has_value());
    EXPECT_EQ(none.refused->rule, "kernel");
}

}  // namespace pimdse::models::upmem::memory_map_test
