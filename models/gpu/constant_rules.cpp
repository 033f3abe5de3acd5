#include "models/gpu/constant_rules.hpp"

#include "models/gpu/design.hpp"

#include <fmt/format.h>
#include <string>

namespace pimdse::models::gpu {
namespace {

ConstantRules rules_of_board(std::string const& board) {
    auto const own = [&](std::string const& name) { return board + "_" + name; };
    auto const idle = own("idle_power"), most = own("most_power");
    ConstantRules rules = efficiencies({own("bandwidth_share"), own("memory_bound_power")},
                                       "it is what is attained of a figure of the data sheet, which bounds it");
    for (auto const format : precision_names) {
        auto const share = efficiencies({own(std::string(format) + "_share")},
                                        "it is what is attained of the peak of the data sheet, which bounds it");
        rules.insert(rules.end(), share.begin(), share.end());
    }
    auto const counts = whole_numbers({own("nvlink_devices"), own("packages")}, 1, 1'000'000, "they are counted");
    rules.insert(rules.end(), counts.begin(), counts.end());
    auto const above_idle = [idle, most](ConstantValues const& value) {
        return value(idle) < value("compute_bound_power") * value(most);
    };
    rules.push_back({fmt::format("{} < compute_bound_power x {}", idle, most),
                     {idle, most, "compute_bound_power"},
                     "a board at work draws more than one without work; the bounds of energy rest on it",
                     above_idle});
    auto const least = own("least_power");
    rules.push_back(
        {fmt::format("{} < {} <= {}", idle, least, most),
         {idle, least, most},
         "a limit of power leaves something to work with",
         [=](ConstantValues const& value) { return value(idle) < value(least) && value(least) <= value(most); }});
    auto const bound = own("memory_bound_power");
    rules.push_back({fmt::format("{} < {} x {}", idle, bound, most),
                     {idle, most, bound},
                     "a board whose memory is saturated draws more than one without work",
                     [=](ConstantValues const& value) { return value(idle) < value(bound) * value(most); }});
    return rules;
}

}  // namespace

ConstantRules constant_rules() {
    ConstantRules rules =
        efficiencies({"link_share", "memory_share", "unrefreshed_share", "compute_bound_power"}, "it is what is attained of a whole");
    auto const clocks = efficiencies({"lowest_clock", "memory_clock"}, "it is a share of the clock of the data sheet");
    auto const floors = shares({"voltage_floor"}, "it is a share of the voltage at the clock of the data sheet");
    rules.insert(rules.end(), clocks.begin(), clocks.end());
    rules.insert(rules.end(), floors.begin(), floors.end());
    for (auto const board : device_names) {
        auto const own = rules_of_board(std::string(board));
        rules.insert(rules.end(), own.begin(), own.end());
    }
    return rules;
}

}  // namespace pimdse::models::gpu
