#include "models/upmem/plan.hpp"
#include "models/upmem/result.hpp"
#include "sim/base/counting.hpp"
#include "support.hpp"

#include <cmath>
#include <random>

/// What a plan hands out is held against the problem it came from.
namespace pimdse::models::upmem::plan_test {
namespace {

/// Designs that can exist, of all kernels, sizes that divide into nothing and locks.
class Designs {
  public:
    explicit Designs(unsigned seed) : random_(seed) {}

    Design next() {
        static auto const kernels = kernel_names();
        for (;;) {
            bool const by_rank = random_() % 3 == 0;
            auto const ranks = 1 + static_cast<int>(random_() % 16);
            // Ranks that take turns have equally many DPUs.
            auto const dpus = (by_rank ? ranks : 1) * (1 + static_cast<int>(random_() % (1U << (random_() % 7))));
            auto const elements = 1 + static_cast<int>(random_() % (1U << (4 + random_() % 20)));
            auto const point = upmem().point({{"kernel", kernels[random_() % kernels.size()]},
                                              {"elements", std::to_string(elements)},
                                              {"dpus", std::to_string(dpus)},
                                              {"ranks", std::to_string(ranks)},
                                              {"streams", std::to_string(1 + random_() % 9)},
                                              {"tasklets", std::to_string(1 + random_() % 24)},
                                              {"lock", by_rank ? "rank_level" : "none"},
                                              {"dma_block", std::to_string(8U << (random_() % 9))}});
            auto const made = planned(prepared(), point);
            if (auto const* feasible = std::get_if<Planned>(&made)) return feasible->design;
        }
    }

  private:
    std::mt19937 random_;
};

TEST(Plans, hand_out_every_element_and_less_than_a_granule_more_to_a_dpu) {
    Designs designs(1);
    for (int i = 0; i < 300; ++i) {
        auto const d = designs.next();
        auto const& k = prepared().kernels[d.kernel];
        if (k.shape == WorkShape::tiles || k.shape == WorkShape::layers) continue;
        auto const made = plan(prepared(), d);
        bool const by_rank = d.lock == Lock::rank_level;
        auto const dpus = by_rank ? sim::divide_up(d.dpus, d.ranks) : d.dpus;
        std::int64_t share = 0;
        for (auto const& launch : made.launches) share += launch.count * launch.task.elements;
        EXPECT_GE(share * dpus, d.elements) << k.name;
        auto const rounded = granule(k, d) * (by_rank ? d.streams : 1);
        EXPECT_LT((share - rounded) * dpus, d.elements + (by_rank ? d.streams * dpus : dpus)) << k.name;
        EXPECT_EQ(made.streams(), static_cast<std::size_t>(d.streams));
    }
}

TEST(Plans, hold_no_less_than_was_known_before_anything_was_counted) {
    Designs designs(2);
    for (int i = 0; i < 300; ++i) {
        auto const d = designs.next();
        auto const& k = prepared().kernels[d.kernel];
        auto const made = plan(prepared(), d);
        EXPECT_GE(made.resident * (1.0 + 1e-12), bytes_at_least(k, d)) << k.name;
        EXPECT_GE(made.resident, made.resident_bank) << k.name;
        EXPECT_LE(made.resident, prepared().machine.mram_size.si) << "it was found feasible";
        EXPECT_EQ(made.wram, wram_of(k, d));
    }
}

TEST(Plans, do_no_more_work_in_blocks_than_their_elements_ask_for_and_no_less) {
    Designs designs(3);
    for (int i = 0; i < 300; ++i) {
        auto const d = designs.next();
        auto const& k = prepared().kernels[d.kernel];
        for (auto const& launch : plan(prepared(), d).launches) {
            auto const& w = launch.task.work;
            if (launch.task.elements == 0) continue;
            EXPECT_GE(w.blocks, 1) << k.name;
            EXPECT_GE(w.chunk, 1) << k.name;
            EXPECT_GE(w.total_slots * (1.0 + 1e-12), w.total_instructions) << k.name;
            EXPECT_GE(w.slots_per_block * (1.0 + 1e-12), w.instructions_per_block) << k.name;
            auto const whole = static_cast<double>(w.blocks) * w.slots_per_block;
            auto const fixed = static_cast<double>(d.tasklets) * w.fixed_slots;
            EXPECT_LE(w.total_slots, (whole + fixed) * (1.0 + 1e-12)) << k.name;
            EXPECT_GE(w.total_slots * (1.0 + 1e-12), whole - w.slots_per_block) << k.name;
            for (double const bytes : {w.read_bytes, w.write_bytes})
                EXPECT_EQ(bytes, whole_words(bytes)) << k.name << " moves whole words";
        }
    }
}

TEST(WholeWords, are_the_least_multiple_of_8_that_holds_the_bytes) {
    for (int bytes = 0; bytes < 100; ++bytes) {
        double const words = whole_words(bytes);
        EXPECT_EQ(std::fmod(words, 8.0), 0.0);
        EXPECT_GE(words, bytes);
        EXPECT_LT(words, bytes + 8.0);
    }
    EXPECT_EQ(whole_words(0.5), 8.0);
}

}  // namespace
}  // namespace pimdse::models::upmem::plan_test
