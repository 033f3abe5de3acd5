#include "models/upmem/kernel.hpp"

#include "tests/unit/models/upmem/support.hpp"

#include "models/upmem/cost.hpp"
#include "tests/unit/says.hpp"

#include <unistd.h>
#include <algorithm>
#include <filesystem>

namespace pimdse::models::upmem::kernels_test {
namespace {

std::string mistakes_of(std::string const& text) {
    auto const file =
        std::filesystem::temp_directory_path() / ("pimdse_kernel_" + std::to_string(::getpid()) + ".toml");
    std::ofstream(file) << text;
    std::string all;
    try {
        (void)load_kernel(file);
    } catch (sim::InputError const& error) {
        for (auto const& sentence : error.sentences()) all += sentence + "\n";
    }
    std::filesystem::remove(file);
    return all;
}

}  // namespace

TEST(Kernels, every_kernel_of_the_public_list_has_a_file) {
    auto const names = kernel_names();
    for (std::string const name : {"va", "red", "hst-s", "scan-ssa", "scan-rss", "gemv", "bs", "sel", "uni", "mlp",
                                   "ts", "trns", "hst-l", "gemv-int8"}) {
        EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
    }
}

TEST(Kernels, those_without_a_listing_say_that_they_are_calibrated) {
    for (std::string const name : {"sel", "uni", "mlp", "ts", "trns", "scan-rss", "scan-ssa", "hst-s", "gemv", "bs"}) {
        EXPECT_TRUE(load_kernel(kernel_file(name)).calibrated) << name;
    }
    for (std::string const name : {"va", "red", "gemv-rows", "hst-l", "hst-nomul", "mutex"})
        EXPECT_FALSE(load_kernel(kernel_file(name)).calibrated) << name;
}

TEST(Kernels, number_without_source_or_with_an_unknown_name_is_refused_all_at_once) {
    auto const text = mistakes_of(
        "title = \"t\"\nsource = \"s\"\nshape = \"strem\"\n[numbers]\nslots = { value = 3, unit = \"slots\" }\nlunch = "
        "{ value = 1, unit = "
        "\"ms\", source = \"x\" }\n");
    EXPECT_THAT(text, says("unknown-shape-strem-did")) << text;
    EXPECT_THAT(text, says("source-missing")) << text;
    EXPECT_THAT(text, says("unknown-key-lunch")) << text;
}

TEST(Kernels, that_merge_results_state_the_slots_of_an_addition) {
    std::string const head = "title = \"t\"\nsource = \"s\"\nshape = \"stream\"\n[numbers]\n";
    auto const number = [](std::string const& name, std::string const& value) {
        return name + " = { value = " + value + ", unit = \"1\", source = \"x\" }\n";
    };
    auto const base = head + number("slots", "3") + number("element_bytes", "4") + number("merge_bytes", "4");
    EXPECT_NE(mistakes_of(base).find("merge_slots_hardware"), std::string::npos);
    EXPECT_EQ(mistakes_of(base + number("merge_slots", "5")), "");
    EXPECT_NE(mistakes_of(base + number("merge_slots", "5") + number("merge_share", "2")), "");
}

TEST(Kernels, decode_step_takes_every_matrix_of_the_model_once) {
    Settings const settings{{"kernel", "gemv-int8"}, {"llm", "opt-6.7b"}, {"dpus", "2048"}, {"ranks", "32"}};
    double const weights = 32.0 * (4.0 * 4096 * 4096 + 2.0 * 4096 * 16384) + 4096.0 * 50272;
    double const bytes = upmem().value(settings, "footprint");
    EXPECT_GE(bytes, weights);
    EXPECT_LE(bytes, 1.02 * weights);
    // 4.2 slots a weight on 2,048 DPUs, issue-bound at the least.
    EXPECT_GE(upmem().value(settings, "kernel_cycles"), 4.2 * weights / 2048);
}

TEST(Kernels, issue_use_of_upimulator_is_the_published_one) {
    struct Row {
        std::string kernel;
        double use;
    };
    for (auto const& [kernel, use] :
         {Row{"va", .955}, {"red", .65}, {"hst-s", .64}, {"gemv", .61}, {"scan-ssa", .41}}) {
        Settings const settings{
            {"kernel", kernel}, {"preset", "upimulator-cpp"}, {"elements", kernel == "gemv" ? "65536" : "1048576"}};
        EXPECT_NEAR(upmem().value(settings, "issue_utilisation"), use, 0.03) << kernel;
    }
}

TEST(Kernels, micro_benchmarks_of_prim_follow_from_their_slots) {
    // operations per second at saturation = clock / slots
    EXPECT_NEAR(350e6 / 6, 58.56e6, 0.01 * 58.56e6);
    DpuWork work;
    work.blocks = 16;
    work.slots_per_block = work.instructions_per_block = 6 * 1e5;
    work.total_slots = work.total_instructions = 16 * work.slots_per_block;
    double const seconds = cycles_floor(work, {}, 16, 11) / 350e6;
    EXPECT_NEAR(16e5 / seconds, 58.56e6, 0.01 * 58.56e6);
}

}  // namespace pimdse::models::upmem::kernels_test
