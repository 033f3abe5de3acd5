#include "dse/cli/run/left_out_machines.hpp"

#include "dse/task/machine_name.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace pimdse::dse::cli::run {
namespace {

struct OfMachine {
    std::uint64_t answered = 0, feasible = 0;
    std::map<std::string, std::uint64_t, std::less<>> rules;
};

}  // namespace

std::string machines_left_out(task::Columns const& columns, answers::ResultStore const& store) {
    if (columns.machines.size() < 2 || !store.blocks().empty()) return "";
    std::map<std::string_view, OfMachine> found;
    for (answers::ResultStore::Row row = 0; row < store.size(); ++row) {
        auto const* machine = task::machine_of(columns, store.task(row).point);
        if (machine == nullptr) continue;
        auto& of = found[machine->name];
        ++of.answered;
        of.feasible += store.status(row) == answers::Status::ok ? 1 : 0;
        if (store.status(row) == answers::Status::infeasible) ++of.rules[std::string(store.rule(row))];
    }
    std::vector<std::string_view> unmet;  // in the order of the space
    std::string text;
    for (auto const& machine : columns.machines) {
        auto const& of = found[machine.name];
        if (of.answered == 0) unmet.emplace_back(machine.name);
        if (of.feasible > 0 || of.rules.empty()) continue;
        auto const& [rule, points] =
            *std::ranges::max_element(of.rules, {}, [](auto const& broken) { return broken.second; });
        text +=
            fmt::format("no design of {} is feasible ({}: {} of {} points)\n", machine.name, rule, points, of.answered);
    }
    return unmet.empty() ? text : fmt::format("nothing was answered of {}\n", fmt::join(unmet, ", ")) + text;
}

}  // namespace pimdse::dse::cli::run
