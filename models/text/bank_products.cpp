#include "models/text/bank_products.hpp"

#include "models/text/component_kinds.hpp"
#include "sim/base/counting.hpp"
#include "sim/dram/family.hpp"
#include "sim/dram/mapping.hpp"
#include "sim/dram/simulate.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::text {

using sim::pim::Attention;
using sim::pim::AttentionPart;
using sim::pim::AttentionProduct;
using sim::pim::BankUnits;
using sim::pim::Gemv;

DramStream dram_stream(sim::dram::Standard const& standard, std::string const& mapping) {
    constexpr std::uint64_t bytes = 1 << 22;
    auto one = standard;
    one.organisation.channels = 1;
    int const burst = one.organisation.burst_bytes;
    double const spacing = std::max(one.timing.nBL, one.timing.nCCDS);
    DramStream stream;
    stream.peak = sim::dram::data_ports(one) * burst / (spacing * one.clock.si);
    stream.estimated = 1.0 - sim::dram::refresh_share(one);
    auto const addresses = sim::dram::parse_mapping(mapping, one.organisation);
    auto const reads = sim::dram::Stream::sequential(sim::dram::Access::read, 0, bytes, burst);
    auto const counters = sim::dram::simulate(one, addresses, reads);
    double const seconds = static_cast<double>(counters.cycles) * one.clock.si;
    stream.simulated = static_cast<double>(bytes) / seconds / stream.peak;
    return stream;
}

namespace {

BankUnits changed(BankUnits units, BankChanges const& changes) {
    if (changes.mac_cycles > 0) units.timing.mac_interval = changes.mac_cycles;
    if (changes.buffer_bytes > 0) units.sizes.buffer_bytes = changes.buffer_bytes;
    return units;
}

std::int64_t whole(double count) { return std::max<std::int64_t>(1, std::llround(count)); }

}  // namespace

BankProducts::BankProducts(BankUnits const& units, BankChanges const& changes) : costs_(changed(units, changes)) {}

template <class Product>
BankProducts::OneProgram BankProducts::program(Product const& product, Fidelity fidelity) const {
    if (fidelity == Fidelity::cycle) {
        auto const& cost = costs_.of(product);
        auto const executions = static_cast<double>(cost.executions);
        return {sim::Bounded::exact(cost.cycles_each()), cost.commands, executions,
                static_cast<double>(cost.open_cycles) / executions};
    }
    auto const& form = costs_.closed_form_of(product);
    double const cycles = form.estimate, lower = std::min(cycles, form.lower_bound);
    return {sim::Bounded::within(cycles, lower, cycles, {sim::Bound::proved, sim::Bound::none}), form.commands, 1.0,
            cycles};
}

/// The channels work in step: their time is that of the longest share, their energy that of all shares.
template <class Product>
void BankProducts::add(std::vector<sim::pim::ChannelShare<Product>> const& shares, double executions, Fidelity fidelity,
                       BankCost& to) const {
    for (auto const& share : shares) {
        auto const one = program(share.product, fidelity);
        if (&share == &shares.front())
            to.seconds += sim::Bounded(executions * costs_.units().timing.clock.si) * one.cycles;
        add_energy(one, executions * sim::as_double(share.channels), to);
    }
}

void BankProducts::add_energy(OneProgram const& one, double executions, BankCost& to) const {
    constexpr auto array = energy_row("dram_array"), pins = energy_row("dram_interface"),
                   units_row = energy_row("in_memory_logic"), refresh = energy_row("dram_refresh"),
                   background = energy_row("dram_background");
    auto const& u = costs_.units();
    auto const spend = [&](std::size_t row, std::int64_t count, sim::Energy each) {
        to.joules[row] += executions * static_cast<double>(count) / one.executions * each.si;
    };
    auto const& c = one.commands;
    spend(array, c.bank_activations, u.energy.activate);
    spend(array, c.word_writes, u.energy.word_write);
    spend(units_row, c.macs, u.energy.mac);
    spend(pins, c.buffer_writes, u.energy.buffer_write);
    spend(pins, c.sum_writes, u.energy.sum_write);
    spend(pins, c.sum_reads, u.energy.sum_read);
    spend(refresh, c.refreshes, u.energy.refresh);
    to.joules[background] += executions * one.open_cycles * u.timing.clock.si *
                             std::max(0.0, u.energy.active_standby.si - u.energy.standby.si);
}

BankCost BankProducts::cost(OperatorWork const& op, LlmRequest const& r, UnitFigures const& unit,
                            Fidelity fidelity) const {
    constexpr auto background = energy_row("dram_background");
    auto const bits = [](double bytes) { return static_cast<int>(bits_per_byte * bytes); };
    auto const& units = costs_.units();
    BankCost all;
    if (op.heads == 0) {
        Gemv const gemv{whole(op.inputs), whole(op.outputs), 1, bits(r.weight_bytes), bits(r.weight_bytes), false};
        add(shares_of(units, gemv, unit.channels), op.executions * op.rows, fidelity, all);
    } else {
        Attention attention;
        attention.heads = op.heads;
        attention.kv_heads = op.kv_heads;
        attention.head_size = op.head_size;
        attention.value_size = op.value_size;
        attention.context = whole(op.keys);
        attention.key_units = units.sizes.units() * unit.channels;
        attention.value_channels = unit.value_channels > 0 ? unit.value_channels : unit.channels;
        if (unit.value_channels == 0) {
            auto const useful = sim::divide_up(op.value_size > 0 ? op.value_size : op.head_size, units.sizes.units());
            attention.head_channels = std::clamp<std::int64_t>(unit.channels / op.kv_heads, 1, useful);
        }
        attention.cache_bits = bits(r.cache_bytes);
        attention.activation_bits = bits(r.weight_bytes);
        auto const add_part = [&](AttentionPart part, double executions) {
            add(shares_of(units, AttentionProduct{part, attention}), executions, fidelity, all);
        };
        add_part(op.of_values ? AttentionPart::values : AttentionPart::scores, op.query_positions);
        attention.context = 1;  // the same writes for each
        if (!op.of_values) add_part(AttentionPart::append, op.new_positions);
    }
    all.joules[background] *= unit.standby_share;
    return all;
}

}  // namespace pimdse::models::text
