#include "sim/noc/open_loop.hpp"
#include "tests/support/campaign.hpp"

#include <gtest/gtest.h>

namespace pimdse::sim::noc::test::contention_test {
namespace {

struct Row {
    int side, flits;
    double saturation;  // measured throughput of an overloaded mesh
};

TEST(Contention, follows_the_network_up_to_three_quarters_of_saturation) {
    tests::Turns turns(3);
    for (auto const& row :
         {Row{8, 1, 0.203}, Row{8, 4, 0.295}, Row{8, 32, 0.26}, Row{16, 1, 0.105}, Row{16, 4, 0.15}}) {
        for (double const share : {0.1, 0.3, 0.5, 0.75}) {
            if (!turns.next()) continue;
            OpenLoop request;
            request.mesh = {row.side, row.side};
            request.packet_flits = row.flits;
            request.load = share * row.saturation;
            request.measured = row.flits == 32 ? 200'000 : 40'000;
            auto const theory = contention(request);
            ASSERT_FALSE(theory.saturated);
            double const simulated = run(request).latency.value();
            // Packets longer than a FIFO occupy several routers, which is the weakest part of the theory.
            double const near = row.flits == 32 ? 0.055 : 0.025;
            EXPECT_NEAR(theory.latency / simulated, 1.0, share <= 0.5 ? 0.015 : near)
                << row.side << " x " << row.side << ", " << row.flits << " flits, load " << request.load;
        }
    }
}

TEST(Contention, is_zero_load_at_no_load) {
    OpenLoop request;
    request.load = 1e-9;
    EXPECT_NEAR(contention(request).latency, 27.0, 1e-6);
    request.mesh = {16, 16};
    request.packet_flits = 32;
    EXPECT_NEAR(contention(request).latency, 48.5 + 31, 1e-4);
}

TEST(Contention, says_saturated_when_the_network_is) {
    OpenLoop request;
    request.packet_flits = 4;
    request.load = 0.4;
    EXPECT_TRUE(contention(request).saturated);
    for (auto const& row : {Row{8, 1, 0.203}, Row{8, 4, 0.295}, Row{8, 32, 0.26}}) {
        request.packet_flits = row.flits;
        EXPECT_NEAR(saturation_load(request) / row.saturation, 1.0, 0.13) << row.flits;
    }
}

TEST(Contention, grows_with_the_load) {
    for (auto const traffic : {Traffic::uniform, Traffic::transpose, Traffic::bitcomp}) {
        OpenLoop request;
        request.traffic = traffic;
        request.packet_flits = 4;
        double before = 0.0;
        for (double const load : {0.01, 0.03, 0.06, 0.09}) {
            request.load = load;
            auto const now = contention(request);
            ASSERT_FALSE(now.saturated);
            EXPECT_GT(now.latency, before);
            before = now.latency;
        }
    }
}

}  // namespace
}  // namespace pimdse::sim::noc::test::contention_test
