#include "models/upmem/cost.hpp"

#include "support.hpp"

namespace pimdse::models::upmem::analytic_test {
namespace {

Settings va(std::string const& preset, int tasklets, std::string const& elements = "65536") {
    return {{"preset", preset}, {"tasklets", std::to_string(tasklets)}, {"elements", elements}};
}

double per_element(Settings settings) {
    settings.emplace_back("elements", "4194304");
    return upmem().value(settings, "kernel_cycles") / 4194304.0;
}

}  // namespace

TEST(ClosedForm, vector_addition_costs_what_three_presets_are_known_for) {
    EXPECT_NEAR(per_element({}), 10.1, 0.05);                              // issue-bound
    EXPECT_NEAR(per_element({{"preset", "upimulator-cpp"}}), 7.33, 0.02);  // DMA-bound
    EXPECT_NEAR(per_element({{"preset", "upimulator-go"}}), 8.38, 0.02);
}

TEST(ClosedForm, vector_addition_is_within_8_percent_of_every_cycle_run) {
    for (auto const& row : rows_of("upimulator_rows.csv")) {
        if (row.at("kernel") != "va" || row.at("size").find("BL") != std::string::npos) continue;
        std::string const preset = row.at("clock") == "original" ? "upimulator-go" : "upimulator-cpp";
        double const wanted = std::stod(row.at("cycles"));
        EXPECT_NEAR(upmem().value(va(preset, std::stoi(row.at("tasklets"))), "kernel_cycles"), wanted, 0.08 * wanted)
            << preset << row.at("tasklets");
    }
}

TEST(ClosedForm, kernel_time_falls_up_to_eleven_tasklets_and_is_flat_after) {
    for (std::string const preset : {"upimulator-go", "upimulator-cpp", "hardware"}) {
        double last = 1e300;
        double saturated = 0.0;
        for (int t = 1; t <= 24; ++t) {
            auto settings = va(preset, t, "4194304");
            settings.emplace_back("dma_block", "512");
            double const cycles = upmem().value(settings, "kernel_cycles");
            if (t == 12) saturated = cycles;
            if (t <= 11) {
                EXPECT_LE(cycles, last * 1.0001) << preset << t;
            } else {
                EXPECT_NEAR(cycles, saturated, 0.03 * saturated) << preset << t;
            }
            last = cycles;
        }
    }
}

TEST(ClosedForm, time_is_linear_in_the_elements_beyond_ten_blocks_per_tasklet) {
    double const once = upmem().value(va("hardware", 16, "1048576"), "kernel_cycles");
    double const twice = upmem().value(va("hardware", 16, "2097152"), "kernel_cycles");
    double const four = upmem().value(va("hardware", 16, "4194304"), "kernel_cycles");
    EXPECT_NEAR(four - twice, 2.0 * (twice - once), 1e-6 * four);
}

TEST(ClosedForm, throughput_below_saturation_is_proportional_to_the_tasklets) {
    DpuWork work;
    work.blocks = 24;
    work.slots_per_block = work.instructions_per_block = 1000;
    for (std::int64_t tasklets = 1; tasklets <= 24; ++tasklets) {
        work.blocks = tasklets;
        work.total_slots = work.total_instructions = 1000.0 * static_cast<double>(tasklets);
        double const per_slot = cycles_floor(work, {}, tasklets, 11) / work.total_slots;
        EXPECT_DOUBLE_EQ(per_slot, std::max(1.0, 11.0 / static_cast<double>(tasklets)));
    }
}

TEST(ClosedForm, hardware_transfers_have_the_measured_efficiency) {
    Settings const none;
    auto const point = upmem().point(none);
    auto const law = dma_law(prepared(), read_design(point));
    for (auto const& [bytes, efficiency] : {std::pair{64.0, 0.31}, {256.0, 0.64}, {1024.0, 0.88}, {2048.0, 0.93}}) {
        EXPECT_NEAR(law.per_byte * bytes / law.service(bytes), efficiency, 0.011) << bytes;
    }
    // PrIM measures 628 MB/s at 2,048 bytes.
    EXPECT_NEAR(2048.0 / law.service(2048.0) * 350e6, 628.23e6, 0.05 * 628.23e6);
}

TEST(ClosedForm, estimate_carries_its_bounds_around_the_value) {
    auto const e = upmem().estimate(va("upimulator-go", 11), "kernel_cycles");
    EXPECT_LT(e.lower, e.value);
    EXPECT_GT(e.upper, e.value);
    EXPECT_EQ(e.kinds, sim::BoundKinds(Bound::proved, Bound::calibrated));
}

}  // namespace pimdse::models::upmem::analytic_test
