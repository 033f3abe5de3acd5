#include "models/umdam/system.hpp"
#include "tests/unit/models/umdam/organisations.hpp"

#include <gtest/gtest.h>

namespace pimdse::models::umdam::pim_timing_test {
namespace {

PimConstants plain() {
    auto constants = MachineConstants::from(Constants::load("umdam", {}, constant_rules())).pim;
    constants.extra_activate_to_mac = {};
    constants.read_to_precharge = constants.buffer_write_cycles = 4;
    constants.results_per_burst = 16;
    return constants;
}

TEST(Pim, staggers_activation_where_power_limits_it) {
    Design s;
    s.mac_interval = 4e-9;
    auto const constants = plain();
    auto const standard = testing::paper_standard();
    EXPECT_EQ(pim_timing(s, standard, constants).stagger, 0);
    s.activation = Activation::four;
    EXPECT_EQ(pim_timing(s, standard, constants).stagger, 3 * 16);
    s.activation = Activation::single;
    EXPECT_EQ(pim_timing(s, standard, constants).stagger, 15 * 4);
    EXPECT_NEAR(pim_timing(s, standard, constants).refresh_share, (224 + 15 + 15 + 15) / 3125.0, 1e-15);
}

TEST(Pim, multiplies_bank_by_bank_no_faster_than_the_command_bus_carries_commands) {
    Design s;
    s.mac_interval = 4e-9;
    s.mac_command = MacCommand::single;
    auto const constants = plain();
    auto standard = testing::paper_standard();
    auto const timing = pim_timing(s, standard, constants);
    EXPECT_EQ(timing.mac_interval, 16);  // 16 banks x 32 B in 16 cycles: 25.6 GB/s a channel
    EXPECT_NEAR(16 * 32 / (timing.mac_interval * timing.clock), 25.6e9, 1);
    standard.organisation.ranks = 2;
    EXPECT_EQ(pim_timing(s, standard, constants).mac_interval, 32);
    standard.organisation.ranks = standard.organisation.bank_groups = standard.organisation.banks = 1;
    EXPECT_NEAR(pim_timing(s, standard, constants).mac_interval, 3.2, 1e-12);  // the bus has room for one bank
}

}  // namespace
}  // namespace pimdse::models::umdam::pim_timing_test
