#include "law_count.hpp"
#include "served_points.hpp"
#include "unit_floors.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>

/// No phase is shorter than its work over the peak of any unit, and no request takes less energy than its events.
namespace pimdse::laws::floors_test {
namespace {

using models::Architecture;

class Floors : public ::testing::TestWithParam<Architecture const*> {};

TEST_P(Floors, of_time_hold_for_every_unit) {
    auto const machines = on_every_footing(*GetParam());
    LawCount count("time floors of units", GetParam()->name);
    Bits bits(31);
    std::map<std::string, double> nearest;
    for (std::uint64_t n = 0; n < designs_of(4000); ++n) {
        auto const& machine = machines[n % machines.size()];
        auto point = machine.draw(bits);
        point = machine.with(std::move(point), "output", 2);
        auto const metrics = machine.result(point);
        if (!metrics) continue;
        count.tried();
        auto const hold = [&](std::string const& what, double time, std::vector<UnitFloor> const& floors) {
            for (auto const& floor : floors) {
                auto& share = nearest[what + ", " + floor.unit];
                share = std::max(share, floor.seconds / time);
                if (time >= floor.seconds * (1.0 - 1e-9)) continue;
                count.violated(fmt::format("{} {:.4g} s, {} take {:.4g} s: {}", what, time, floor.unit, floor.seconds,
                                           machine.command(point)));
            }
        };
        hold("ttft", machine.value(*metrics, "ttft"), first_token_floors(machine, point));
        hold("itl", machine.value(*metrics, "itl"), later_token_floors(machine, point));
    }
    // A floor that is far below every time holds nothing.
    for (auto const& [unit, share] : nearest)
        fmt::print("  {}: {}: {:.3g} of the time at most\n", GetParam()->name, unit, share);
    EXPECT_TRUE(count.holds());
}

TEST_P(Floors, of_energy_hold_for_idle_power) {
    auto const machines = on_every_footing(*GetParam());
    LawCount count("energy above idle power", GetParam()->name);
    Bits bits(51);
    for (std::uint64_t n = 0; n < designs_of(4000); ++n) {
        auto const& machine = machines[n % machines.size()];
        auto const point = machine.draw(bits);
        auto const metrics = machine.result(point);
        if (!metrics) continue;
        count.tried();
        double const energy = machine.value(*metrics, "energy");
        double const idle = machine.value(*metrics, "idle_power") * machine.value(*metrics, "latency");
        if (energy < idle * (1.0 - 1e-9))
            count.violated(
                fmt::format("energy {:.4g} J, idle power alone {:.4g} J: {}", energy, idle, machine.command(point)));
    }
    EXPECT_TRUE(count.holds());
}

TEST_P(Floors, of_energy_hold_for_products_and_bytes) {
    auto const machines = on_every_footing(*GetParam());
    LawCount count("energy floor of products and bytes", GetParam()->name);
    Bits bits(52);
    double nearest = 0.0;
    for (std::uint64_t n = 0; n < designs_of(4000); ++n) {
        auto const& machine = machines[n % machines.size()];
        auto const point = machine.draw(bits);
        auto const metrics = machine.result(point);
        if (!metrics) continue;
        count.tried();
        double const energy = machine.value(*metrics, "energy"), floor = request_energy_floor(machine, point);
        nearest = std::max(nearest, floor / energy);
        if (energy < floor * (1.0 - 1e-9)) {
            count.violated(fmt::format("energy {:.4g} J, products and bytes take {:.4g} J: {}", energy, floor,
                                       machine.command(point)));
        }
    }
    fmt::print("  {}: {:.3g} of the energy at most\n", GetParam()->name, nearest);
    EXPECT_TRUE(count.holds());
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Floors, ::testing::ValuesIn(all_architectures()),
                         [](auto const& param) { return std::string(param.param->name); });

}  // namespace
}  // namespace pimdse::laws::floors_test
