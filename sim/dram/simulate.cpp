#include "sim/dram/simulate.hpp"

#include "sim/base/check.hpp"
#include "sim/dram/run.hpp"
#include "sim/dram/timing/family.hpp"
#include "sim/dram/timing/review.hpp"

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
        auto const& family = row_of(standard.family);
        mistakes.push_back(fmt::format("{} has no per-bank refresh ({}). Refresh all-bank or none?", standard.name,
                                       family.refreshes_banks
                                           ? "its timing set names no nREFIpb"
                                           : fmt::format("{} refreshes whole ranks only", family.name)));
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

void check_run(Standard const& standard, Mapping const& mapping, Stream const& stream, Options const& options) {
    (void)review(standard);
    check_options(standard, options);
    check_fit(standard, mapping, stream);
}

Counters simulate(Standard const& standard, Mapping const& mapping, Stream const& stream, Options const& options) {
    check_run(standard, mapping, stream, options);
    auto counters = run(standard, mapping, stream, options);
    counters.requests = stream.size();
    counters.refreshes_are_all_bank = options.refresh != RefreshMode::per_bank;
    return counters;
}

std::vector<Ended> simulate_prefixes(Standard const& standard, Mapping const& mapping, Stream const& stream,
                                     Options const& options, std::span<std::uint64_t const> lengths) {
    check_run(standard, mapping, stream, options);
    expects(!lengths.empty() && lengths.back() == stream.size() && options.window == 0,
            "prefixes are cut where requests are sent, the last one at the end");
    return run_prefixes(standard, mapping, stream, options, lengths);
}

}  // namespace pimdse::sim::dram
