#include "models/service/service.hpp"

#include "serving_machine.hpp"
#include "sim/base/check.hpp"

namespace pimdse::models::service::test::figure_test {
namespace {

Settings const request{{"device", "h100"},         {"llm", "llama-3.2-1b"}, {"traffic.rate", "3 1/s"},
                       {"traffic.requests", "20"}, {"traffic.input", "64"}, {"traffic.output", "16"}};

TEST(Figure, is_the_metric_of_the_service) {
    std::string problem;
    double const found = figure_of(find_architecture("gpu"), request, "ttft_mean", Fidelity::analytic, problem);
    EXPECT_EQ(problem, "");
    EXPECT_GT(found, 0.0);
    EXPECT_LT(found, 1.0);
    EXPECT_THROW((void)figure_of(find_architecture("gpu"), request, "speed", Fidelity::analytic, problem),
                 sim::InputError);
}

TEST(Figure, says_why_there_is_none) {
    auto large = request;
    large[1].second = "llama-2-70b";
    std::string problem;
    EXPECT_TRUE(std::isnan(figure_of(find_architecture("gpu"), large, "ttft_mean", Fidelity::analytic, problem)));
    EXPECT_NE(problem, "");
}

}  // namespace
}  // namespace pimdse::models::service::test::figure_test
