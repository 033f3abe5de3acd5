#include "dse/space/scenarios.hpp"
#include "dse/space/canonical_space.hpp"
#include "dse/space/evaluation.hpp"
#include "dse/space/space_reader.hpp"
#include "tests/unit/refused.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>

namespace pimdse::dse::space::scenarios_test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

std::string const head = R"(
schema = 2
architecture = "umdam"
objectives = ["latency", "energy@long"]
[parameters]
channels = [2, 4]
dram = ["L5A", "L5J"]
)";
std::string const two = R"(
[[scenario]]
name = "short"
llm = "opt-125m"
input = 64
output = 4
weight = 3
[[scenario]]
name = "long"
llm = "opt-125m"
input = 512
output = 8
)";

Space space_of(std::string const& text) { return space::parse_space(text, "asked.toml"); }

std::vector<std::string> mistakes_of(std::string const& text) {
    return mistakes_by([&] { (void)space_of(text); });
}

models::Metrics result_of(Space const& space, std::uint64_t id) {
    auto const result = space::evaluate(space, {space::PointId{id}, models::Fidelity::analytic});
    EXPECT_TRUE(std::holds_alternative<models::Metrics>(result.outcome)) << id;
    return std::get<models::Metrics>(result.outcome);
}

models::Estimate metric(Space const& space, models::Metrics const& metrics, std::string const& name) {
    int const at = models::find_metric(space.metrics(), name);
    EXPECT_GE(at, 0) << name;
    return metrics[static_cast<std::size_t>(at)];
}

/// The same designs asked one question, as schema 1 puts it.
Space alone(int input, int output, std::string const& baseline = "umdam") {
    return space_of(
        "schema = 1\narchitecture = \"umdam\"\nobjectives = [\"latency\"]\n[parameters]\nchannels = [2, 4]\n"
        "dram = [\"L5A\", \"L5J\"]\nllm = \"opt-125m\"\ninput = " +
        std::to_string(input) + "\noutput = " + std::to_string(output) + "\nbaseline = \"" + baseline + "\"\n");
}

TEST(Scenarios, evaluate_as_each_request_alone_and_together_by_weight) {
    auto const space = space_of(head + two);
    auto const brief = alone(64, 4), lengthy = alone(512, 8);
    ASSERT_EQ(space.size(), 4U);
    for (std::uint64_t id = 0; id < space.size(); ++id) {
        auto const all = result_of(space, id), a = result_of(brief, id), b = result_of(lengthy, id);
        for (auto const& m : brief.metrics()) {
            auto const one = metric(brief, a, m.name), other = metric(lengthy, b, m.name);
            auto const short_part = metric(space, all, m.name + "@short");
            EXPECT_EQ(short_part.value, one.value) << m.name;
            EXPECT_EQ(short_part.lower, one.lower) << m.name;
            EXPECT_EQ(metric(space, all, m.name + "@long").upper, other.upper) << m.name;
            auto const together = metric(space, all, m.name);
            EXPECT_LE(together.lower, together.value) << m.name;
            EXPECT_GE(together.upper, together.value) << m.name;
            EXPECT_GE(together.value, std::min(one.value, other.value)) << m.name;
            EXPECT_LE(together.value, std::max(one.value, other.value)) << m.name;
        }
        double const x = metric(brief, a, "latency").value, y = metric(lengthy, b, "latency").value;
        EXPECT_NEAR(metric(space, all, "latency").value, std::pow(x * x * x * y, 0.25), 1e-12 * y);
        EXPECT_EQ(metric(space, all, "power").value,
                  std::max(metric(brief, a, "power").value, metric(lengthy, b, "power").value));
        EXPECT_EQ(metric(space, all, "footprint").value, metric(lengthy, b, "footprint").value);
    }
}

TEST(Scenarios, are_compared_with_the_design_itself_or_with_one_design) {
    auto const itself = space_of(head + two + "[baseline]\nbaseline = \"relayout\"\n");
    auto const one = space_of(head + two + "[baseline]\narchitecture = \"umdam\"\nchannels = 2\ndram = \"L5A\"\n");
    auto const umdam = alone(512, 8), relayout = alone(512, 8, "relayout");
    for (std::uint64_t id = 0; id < itself.size(); ++id) {
        double const mine = metric(umdam, result_of(umdam, id), "latency").value;
        double const moved = metric(relayout, result_of(relayout, id), "latency").value;
        EXPECT_DOUBLE_EQ(metric(itself, result_of(itself, id), "speedup@long").value, moved / mine);
        double const first = metric(umdam, result_of(umdam, 0), "energy").value;
        double const energy = metric(umdam, result_of(umdam, id), "energy").value;
        EXPECT_DOUBLE_EQ(metric(one, result_of(one, id), "energy_ratio@long").value, first / energy);
    }
    auto const ratio = metric(one, result_of(one, 0), "speedup");
    EXPECT_NEAR(ratio.value, 1.0, 1e-12);
}

TEST(Scenarios, are_several_where_a_key_has_a_list) {
    auto const space = space_of(head +
                                "[[scenario]]\nname = \"long\"\nllm = \"opt-125m\"\ninput = 64\noutput = 2\n"
                                "[[scenario]]\nname = \"grow\"\nllm = [\"opt-125m\", \"opt-1.3b\"]\n"
                                "input = [32, 128]\noutput = 2\n");
    std::vector<std::string> names;
    for (auto const& scenario : space.machines()[0].scenarios.list()) names.push_back(scenario.written.name);
    EXPECT_EQ(names, (std::vector<std::string>{"long", "grow.opt-125m.32", "grow.opt-125m.128", "grow.opt-1.3b.32",
                                               "grow.opt-1.3b.128"}));
    EXPECT_GT(metric(space, result_of(space, 0), "latency@grow.opt-1.3b.128").value,
              metric(space, result_of(space, 0), "latency@grow.opt-125m.32").value);
}

TEST(Scenarios, are_named_in_conditions_and_aggregated_as_asked) {
    auto const space = space_of(head + two +
                                "[aggregate]\nlatency = \"sum\"\nttft = \"worst\"\n[[constraint]]\nname = \"soon\"\n"
                                "expr = \"latency@long <= 1 ns\"\n");
    auto const outcome = space::evaluate(space, {space::PointId{0}, models::Fidelity::analytic}).outcome;
    ASSERT_TRUE(std::holds_alternative<models::Infeasible>(outcome));
    EXPECT_EQ(std::get<models::Infeasible>(outcome).rule, "soon");
    auto const free = space_of(head + two + "[aggregate]\nlatency = \"sum\"\nttft = \"worst\"\n");
    auto const all = result_of(free, 1);
    EXPECT_DOUBLE_EQ(metric(free, all, "latency").value,
                     3 * metric(free, all, "latency@short").value + metric(free, all, "latency@long").value);
    EXPECT_EQ(metric(free, all, "ttft").value, metric(free, all, "ttft@long").value);
}

TEST(Scenarios, are_part_of_what_a_space_is) {
    std::string const more = "[baseline]\nbaseline = \"relayout\"\n[aggregate]\nenergy = \"sum\"\n";
    auto const space = space_of(head + two + more);
    auto const columns = space.columns();
    EXPECT_LT(models::find_parameter(columns.parameters, "llm"), 0);
    EXPECT_GE(models::find_parameter(columns.parameters, "channels"), 0);
    auto const again = space_of_columns(columns);
    EXPECT_EQ(again.canonical_text(), space.canonical_text());
    for (std::uint64_t id = 0; id < space.size(); ++id) {
        auto const a = result_of(space, id), b = result_of(again, id);
        ASSERT_EQ(a.size(), b.size());
        for (std::size_t m = 0; m < a.size(); ++m) EXPECT_EQ(a[m].value, b[m].value) << space.metrics()[m].name;
        std::vector<models::Value> point;
        columns.decode(space::PointId{id}, point);
        EXPECT_EQ(point.size(), columns.parameters.size());
    }
    EXPECT_NE(space_of(head + two).canonical_text(), space.canonical_text());
}

TEST(Scenarios, that_an_architecture_does_not_serve_make_its_points_infeasible) {
    auto const space = space_of(
        "schema = 2\narchitecture = \"upmem\"\nobjectives = [\"latency\"]\n[[scenario]]\nname = \"blocks\"\n"
        "llm = \"llama-2-7b\"\ninput = 64\noutput = 32\ngeneration = \"diffusion\"\n");
    auto const outcome = space::evaluate(space, {space::PointId{0}, models::Fidelity::analytic}).outcome;
    ASSERT_TRUE(std::holds_alternative<models::Infeasible>(outcome));
    EXPECT_EQ(std::get<models::Infeasible>(outcome).reason,
              "blocks: upmem serves generation = autoregressive only, not diffusion");
}

/// How a model of diffusion generates follows from the model, unless the scenario says it.
TEST(Scenarios, of_a_model_imply_how_it_generates) {
    auto const text = [](std::string const& more) {
        return "schema = 2\narchitecture = \"h100\"\nobjectives = [\"latency\"]\n[[scenario]]\nname = \"blocks\"\n"
               "llm = \"llada-8b\"\ninput = 64\noutput = 32\n" +
               more;
    };
    auto const silent = space_of(text("")), said = space_of(text("generation = \"diffusion\"\n"));
    EXPECT_EQ(silent.canonical_text(), said.canonical_text());
    EXPECT_EQ(result_of(silent, 0)[0].value, result_of(said, 0)[0].value);
    auto const once_more = [&](std::string const& value) {
        return text("[parameters]\ngeneration = \"" + value + "\"\n");
    };
    EXPECT_EQ(silent.canonical_text(), space_of(once_more("diffusion")).canonical_text());
    EXPECT_THAT(mistakes_of(once_more("autoregressive")), Contains(HasSubstr("generation is set by the scenarios")));
    auto const by_tokens = space_of(text("generation = \"autoregressive\"\n"));
    auto const outcome = space::evaluate(by_tokens, {space::PointId{0}, models::Fidelity::analytic}).outcome;
    EXPECT_TRUE(std::holds_alternative<models::Infeasible>(outcome));
}

TEST(Scenarios, say_every_mistake) {
    EXPECT_THAT(mistakes_of(head + two + "[aggregate]\nlatncy = \"sum\"\n"), Contains(says("did-you-mean-latency")));
    EXPECT_THAT(mistakes_of(head + two + "[aggregate]\nlatency = \"mode\"\n"),
                Contains(HasSubstr("unknown aggregate")));
    EXPECT_THAT(mistakes_of(head + "input = 5\n" + two), Contains(says("input-set-scenarios")));
    EXPECT_THAT(mistakes_of(head + two + "[baseline]\ninput = 5\n"), Contains(says("input-set-scenarios-2")));
    EXPECT_THAT(mistakes_of(head + two + two), Contains(says("two-scenarios-short")));
    EXPECT_THAT(mistakes_of(head + "[[scenario]]\nname = \"a b\"\nllm = \"opt-125m\"\n"), Contains(HasSubstr("'a b'")));
    EXPECT_THAT(mistakes_of(head + "[[scenario]]\nname = \"a\"\ninptu = 5\n"), Contains(HasSubstr("'input'")));
    EXPECT_THAT(mistakes_of(head + "[[scenario]]\nname = \"a\"\ninput = \"many\"\n"),
                Contains(HasSubstr("asked.toml:10: input")));
    EXPECT_THAT(mistakes_of(head + two + "[[scenario]]\nname = \"w\"\nweight = -1\ninput = 4\n"),
                Contains(says("weight-above")));
    EXPECT_THAT(mistakes_of("schema = 1\narchitecture = \"umdam\"\nobjectives = [\"latency\"]\n" + two),
                Contains(HasSubstr("schema = 2?")));
}

}  // namespace
}  // namespace pimdse::dse::space::scenarios_test
