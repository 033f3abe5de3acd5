#include "models/cim_mesh/layer/layer_time.hpp"
#include "sim/noc/closed_form.hpp"
#include "sim/noc/phase.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>
#include <algorithm>

/// What the serial schedule takes from a closed form, on the simulated network.
namespace pimdse::models::cim_mesh::test::chains_test {
namespace {

namespace noc = sim::noc;

/// All output columns of a token, so many at a time, one set after another; and their hops.
struct Sums {
    noc::Cycle cycles = 0;
    std::int64_t hops = 0;
};

Sums simulated_sums(Placed const& p, double service) {
    auto const timing = router_timing(p.given.machine, p.given.design);
    std::int64_t const at_once = p.given.design.parallel_columns;
    Sums sums;
    std::vector<std::int64_t> used(p.given.parts.matrices.size(), 0);
    for (auto const& matrix : p.layer.placement().matrices) {
        auto const& tiling = p.given.parts.matrices[matrix.tiling];
        if (used[matrix.tiling]++ >= tiling.active || matrix.rows < 2) continue;
        for (std::int64_t first = 0; first < tiling.summed; first += at_once) {
            noc::Phase phase;
            for (std::int64_t col = first; col < std::min(tiling.summed, first + at_once); ++col) {
                auto const& placement = p.layer.placement();
                auto const routers = routers_of(placement.mesh, placement.column(matrix, col));
                phase.messages.emplace_back(noc::Chain{routers, p.program.flits(), service, sums.hops});
            }
            sums.cycles += noc::simulate(p.layer.placement().mesh, timing, phase).cycles;
            sums.hops += matrix.rows - 1;
        }
    }
    return sums;
}

TEST(Chains, of_a_token_take_what_the_closed_form_says) {
    for (auto const& setting : std::vector<Setting>{{"link_bits", "64"},
                                                    {"fifo_bytes", "16"},
                                                    {"fifo_bytes", "40"},
                                                    {"link_bits", "1024"},
                                                    {"parallel_columns", "3"},
                                                    {"crossbar", "512"},
                                                    {"mesh_cols", "5"}}) {
        Placed const p(Settings({{"llm", "opt-125m"}, {"mesh_rows", "16"}, {"mesh_cols", "16"}, setting}));
        double const service = p.given.machine.hop_service;
        auto const sums = simulated_sums(p, service);
        auto const timing = router_timing(p.given.machine, p.given.design);
        EXPECT_GT(sums.hops, 0);
        EXPECT_EQ(sums.cycles, noc::closed_form::chain(timing, sums.hops, p.program.flits(), service))
            << setting.first << setting.second;
    }
}

TEST(Chains, to_and_fro_take_what_the_closed_form_says) {
    noc::Mesh const pair{1, 2};
    for (std::int32_t const fifo : {2, 3, 4, 5, 6, 7, 16}) {
        for (std::int32_t const flits : {1, 2, 5, 6, 7, 13, 32}) {
            for (double const service : {2.0, 2.409, 3.364, 17.91}) {
                noc::RouterTiming timing;
                timing.fifo_flits = fifo;
                noc::Chain chain{{}, flits, service, 11};
                for (int i = 0; i <= 101; ++i) chain.path.push_back(i % 2);
                EXPECT_EQ(noc::simulate(pair, timing, {{chain}, 1}).cycles,
                          noc::closed_form::chain(timing, 101, flits, service, 11))
                    << fifo << " " << flits << " " << service;
            }
        }
    }
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::chains_test
