#include "sim/pim/product_cost.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <utility>

namespace pimdse::sim::pim {
namespace {

/// Refresh intervals that a simulation lasts, at least.
constexpr std::int64_t intervals = 64;

CommandChannel without_refresh(BankUnits const& units, Program const& program) {
    CommandChannel channel(units.timing, units.sizes.banks, false);
    channel.execute(program);
    return channel;
}

std::int64_t executions_of(UnitTiming const& timing, std::int64_t cycles) {
    if (timing.refresh_interval == 0) return 1;
    return divide_up(intervals * timing.refresh_interval, std::max<std::int64_t>(1, cycles));
}

/// Cycles that a refresh can save elsewhere: the longest distance of two commands passes with it; a row that it closed
/// needs no PRE later, and the change of the mode before its ACT does not wait for what only MACs wait for.
std::int64_t saved_by_refresh(UnitTiming const& t) {
    return t.precharge + 1 + t.mode_change +
           std::max({t.activate_to_mac, t.activate_to_write, t.mac_interval, t.mac_to_precharge, t.precharge,
                     t.activate_to_precharge, t.activate_to_activate, t.write_to_activate, t.buffer_write, t.sum_write,
                     t.sum_read, t.write_to_read, t.read_to_write, t.mac_to_transfer, t.write_to_mac, t.mode_change,
                     t.fence});
}

}  // namespace

ProductCost simulated(BankUnits const& units, Program const& program) {
    expects(!program.empty(), "a program has commands");
    ProductCost cost;
    cost.executions = executions_of(units.timing, without_refresh(units, program).cycles());
    CommandChannel channel(units.timing, units.sizes.banks);
    for (std::int64_t i = 0; i < cost.executions; ++i) channel.execute(program);
    cost.cycles = channel.cycles();
    cost.open_cycles = channel.open_cycles();
    cost.commands = channel.commands();
    return cost;
}

ClosedForm closed_form(BankUnits const& units, Program const& program) {
    expects(!program.empty(), "a program has commands");
    auto const& t = units.timing;
    auto const channel = without_refresh(units, program);
    double const cycles = as_double(channel.cycles());
    if (t.refresh_interval == 0) return {cycles, cycles, channel.commands()};
    double const interval = as_double(t.refresh_interval);
    double const lost = as_double(t.refresh_time + t.precharge + t.activate_to_mac) / interval;
    double const executions = as_double(executions_of(t, channel.cycles()));
    double const added = as_double(t.refresh_time - saved_by_refresh(t)) / interval;
    // The last two refreshes may not have taken place yet; a refresh that saves more than it takes may be one more.
    double const bound = added > 0.0
                             ? std::max(cycles, (cycles - added * (2.0 * interval + 1.0) / executions) / (1.0 - added))
                             : (cycles + added * interval / executions) / (1.0 - added);
    return {cycles / (1.0 - lost), bound, channel.commands()};
}

Energy energy_each(BankUnits const& units, ProductCost const& cost) {
    auto const& e = units.energy;
    auto const& c = cost.commands;
    Energy const commands = as_double(c.bank_activations) * e.activate + as_double(c.macs) * e.mac +
                            as_double(c.buffer_writes) * e.buffer_write + as_double(c.sum_writes) * e.sum_write +
                            as_double(c.sum_reads) * e.sum_read + as_double(c.word_writes) * e.word_write +
                            as_double(c.refreshes) * e.refresh;
    Energy const standby = e.active_standby * (as_double(cost.open_cycles) * units.timing.clock) +
                           e.standby * (as_double(cost.cycles - cost.open_cycles) * units.timing.clock);
    return (commands + standby) / as_double(cost.executions);
}

ProductCosts::ProductCosts(BankUnits units) : units_(std::move(units)) { review(units_); }

ProductCost const& ProductCosts::of(Gemv const& product) const {
    Gemv one = product;
    one.vectors = 1;
    return products_.get(
        one, [](Gemv const& key, BankUnits const& u) { return simulated(u, program_of(u, key)); }, units_);
}

ProductCost const& ProductCosts::of(AttentionProduct const& product) const {
    return parts_.get(
        product, [](AttentionProduct const& key, BankUnits const& u) { return simulated(u, program_of(u, key)); },
        units_);
}

ClosedForm const& ProductCosts::closed_form_of(Gemv const& product) const {
    Gemv one = product;
    one.vectors = 1;
    return product_forms_.get(
        one, [](Gemv const& key, BankUnits const& u) { return closed_form(u, program_of(u, key)); }, units_);
}

ClosedForm const& ProductCosts::closed_form_of(AttentionProduct const& product) const {
    return part_forms_.get(
        product, [](AttentionProduct const& key, BankUnits const& u) { return closed_form(u, program_of(u, key)); },
        units_);
}

}  // namespace pimdse::sim::pim
