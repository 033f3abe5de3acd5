#include "models/text/architecture_file.hpp"

#include "models/contract/validation.hpp"
#include "models/dplena/dplena.hpp"
#include "models/dplena/metrics.hpp"
#include "sim/base/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

/// An architecture that evaluates its file, on the example of dplena.
namespace pimdse::models::text::test::architecture_file_test {
namespace {

using ::testing::HasSubstr;

FileOfArchitecture file_of_dplena() {
    return {.architecture = "dplena",
            .file = "npu.toml",
            .renamed = {{"output", "generation_length"}, {"clock", "frequency"}},
            .fixed = {{"weights", "int8"}, {"kv_cache", "8bit"}, {"vocab", "0"}},
            .rules = {{"memory", "hbm_capacity"}}};
}

/// What is wrong with the names of a file; "": nothing.
std::string mistake_of(FileOfArchitecture const& file, MetricList const& metrics = dplena::metrics()) {
    auto const parameters = dplena::parameters();
    try {
        AnsweringFile const answering(file, machine_of(file), parameters, metrics, {},
                                      ModelList(models_of(parameters, "llm")));
    } catch (sim::ContractViolation const& violation) {
        return violation.what();
    }
    return "";
}

TEST(AnsweringFile, has_a_value_for_every_parameter_and_metric) {
    EXPECT_EQ(mistake_of(file_of_dplena()), "");
    auto without_clock = file_of_dplena();
    without_clock.renamed.pop_back();
    EXPECT_THAT(mistake_of(without_clock), HasSubstr("is one of the architecture, or fixed"));
    auto of_another_kind = file_of_dplena();
    of_another_kind.renamed.back().second = "batch";
    EXPECT_THAT(mistake_of(of_another_kind), HasSubstr("has the kind of that of the architecture"));
    auto metrics = dplena::metrics();
    metrics.push_back({"unheard_of", "1", "m"});
    EXPECT_THAT(mistake_of(file_of_dplena(), metrics), HasSubstr("a metric that is not common is one of the file"));
    auto of_no_choice = file_of_dplena();
    of_no_choice.fixed.front().second = "int3";
    EXPECT_THROW((void)mistake_of(of_no_choice), sim::InputError);
}

TEST(AnsweringFile, has_the_points_of_the_architecture_under_its_own_names) {
    auto const architecture = dplena::architecture();
    auto const inputs = prepare(architecture, architecture.parameters());
    auto const& answering = inputs.as<dplena::NpuInputs>().file;
    auto parameters = architecture.parameters();
    auto const point = answering.point(point_with(parameters, {{"scope", "end_to_end"},
                                                               {"generation", "autoregressive"},
                                                               {"llm", "llama-3-8b"},
                                                               {"generation_length", "96"},
                                                               {"frequency", "500 MHz"}}));
    auto const design = read_design(answering.prepared(), point);
    EXPECT_FALSE(design.request.diffuses()) << "the choices are in another order";
    EXPECT_EQ(design.request.output, 96);
    EXPECT_EQ(design.request.model->name, "Llama-3-8B");
    EXPECT_EQ(design.request.weight_bytes, 1.0 + 1.0 / 32);
    EXPECT_EQ(design.hardware.units[1].peak, 2.0 * 2048 * 128 * 500e6);
    EXPECT_EQ(answering.prepared().machine().file().name, "dplena");
}

TEST(AnsweringFile, calls_rules_and_metrics_as_the_architecture_does) {
    auto const architecture = dplena::architecture();
    auto const inputs = prepare(architecture, architecture.parameters());
    auto const evaluated = [&](std::vector<std::pair<std::string, std::string>> settings) {
        auto parameters = architecture.parameters();
        settings.emplace_back("scope", "end_to_end");
        return architecture.evaluate(inputs, point_with(parameters, settings), Fidelity::analytic);
    };
    EXPECT_EQ(std::get<Infeasible>(evaluated({{"channels", "1"}})).rule, "hbm_capacity");
    EXPECT_EQ(std::get<Infeasible>(evaluated({{"generation_length", "33"}})).rule, "generation_blocks");
    EXPECT_EQ(std::get<Infeasible>(evaluated({{"model_bandwidth", "0.5 GB/s"}})).rule, "model_bandwidth");
    EXPECT_EQ(
        std::get<Infeasible>(evaluated({{"model_bandwidth", "600 GB/s"}})).reason,
        "model_bandwidth = 600 GB/s is not between 1 GB/s and the 512 GB/s of the pins of 16 channels (0: the rate "
        "of hbm_bus)");
    auto const metrics = std::get<Metrics>(evaluated({{"steps", "4"}}));
    auto const of = [&](char const* name) {
        return metrics[static_cast<std::size_t>(find_metric(architecture.metrics(), name))].value;
    };
    double const sampling = of("cycles_total") / 4 / 1e9;
    EXPECT_NEAR(of("sampling_share"), sampling / (sampling + of("model_time")), 1e-12)
        << "of a step, not of the request";
    EXPECT_NEAR(of("end_to_end_share"), sampling * 4 * 8 / of("latency"), 1e-12);
}

}  // namespace
}  // namespace pimdse::models::text::test::architecture_file_test
