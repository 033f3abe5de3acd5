#include "sim/dram/simulate.hpp"

#include "sim/base/check.hpp"
#include "sim/dram/run.hpp"

#include <fmt/format.h>

namespace pimdse::sim::dram {
namespace {

void check_options(Standard const& standard, Options const& options) {
    std::vector<std::string> mistakes;
    auto const within = [&](std::string_view name, int value, int low, int high) {
        if (value < low || value > high)
            mistakes.push_back(fmt::format("{} = {} is out of range ({}..{})", name, value, low, high));
    };
    within("queue_depth", options.queue_depth, 1, 256);
    within("write_high", options.write_high, 0, options.queue_depth);
    within("write_low", options.write_low, 0, options.queue_depth);
    within("tries", options.tries, 1, 1 << 20);
    within("window", options.window, 0, 1 << 20);
    if (options.refresh == RefreshMode::per_bank && standard.timing.nREFIpb <= 0) {
        mistakes.push_back(fmt::format(
            "{} has no per-bank refresh ({}). Refresh all-bank or none?", standard.name,
            standard.family == Family::ddr4 ? "DDR4 refreshes whole ranks only" : "its timing set names no nREFIpb"));
    }
    if (!mistakes.empty()) throw InputError(mistakes);
}

void check_fit(Standard const& standard, Mapping const& mapping, Stream const& stream) {
    if (stream.size() == 0) throw InputError("the stream is empty (nothing to simulate)");
    if (stream.transaction_bytes() != standard.organisation.burst_bytes) {
        throw InputError(fmt::format("the stream has transactions of {} B but a burst of {} is {} B",
                                     stream.transaction_bytes(), standard.name, standard.organisation.burst_bytes));
    }
    std::uint64_t const highest = stream.highest_address();
    if (mapping.address_bits() < 64 && (highest >> mapping.address_bits()) != 0) {
        throw InputError(
            fmt::format("the stream reaches address 0x{:x} but the mapping covers {} address bits (0x{:x} bytes). A "
                        "larger density or fewer bytes?",
                        highest, mapping.address_bits(), std::uint64_t{1} << mapping.address_bits()));
    }
}

}  // namespace

Tick refresh_round(Standard const& standard, RefreshMode mode) {
    auto const& t = standard.timing;
    auto const& o = standard.organisation;
    if (mode != RefreshMode::per_bank) return t.nREFI;
    return Tick{t.nREFIpb} * o.bank_groups * o.banks * (standard.family == Family::hbm2 ? o.ranks : 1);
}

void check_run(Standard const& standard, Mapping const& mapping, Stream const& stream, Options const& options) {
    (void)review(standard);
    check_options(standard, options);
    check_fit(standard, mapping, stream);
}

Counters simulate(Standard const& standard, Mapping const& mapping, Stream const& stream, Options const& options) {
    check_run(standard, mapping, stream, options);
    Counters counters;
    switch (standard.family) {
        case Family::lpddr5:
            counters = run<Family::lpddr5>(standard, mapping, stream, options);
            break;
        case Family::ddr4:
            counters = run<Family::ddr4>(standard, mapping, stream, options);
            break;
        case Family::hbm2:
            counters = run<Family::hbm2>(standard, mapping, stream, options);
            break;
    }
    counters.requests = stream.size();
    counters.refreshes_are_all_bank = options.refresh != RefreshMode::per_bank;
    return counters;
}

}  // namespace pimdse::sim::dram
