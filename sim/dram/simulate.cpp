#include "sim/dram/simulate.hpp"

#include "sim/base/check.hpp"
#include "sim/dram/channel_partition.hpp"
#include "sim/dram/family.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <algorithm>

namespace pimdse::sim::dram {
namespace {

void check_options(Standard const& standard, Options const& options) {
    std::vector<std::string> mistakes;
    auto const within = [&](std::string_view name, int value, int lower, int upper) {
        if (value < lower || value > upper)
            mistakes.push_back(fmt::format("{} = {} is out of range ({}..{})", name, value, lower, upper));
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
                                           ? "its timing set does not have nREFIpb"
                                           : fmt::format("{} refreshes whole ranks only", family.name)));
    }
    if (!mistakes.empty()) throw InputError(mistakes);
}

void check_fit(Standard const& standard, Mapping const& mapping, Stream const& stream) {
    if (stream.size() == 0) throw InputError("the stream is empty (nothing to simulate)");
    if (stream.transaction_bytes() != standard.organisation.burst_bytes) {
        throw InputError("the stream has transactions of {} B but a burst of {} is {} B", stream.transaction_bytes(),
                         standard.name, standard.organisation.burst_bytes);
    }
    std::uint64_t const highest = stream.highest_address();
    if (mapping.address_bits() < 64 && (highest >> mapping.address_bits()) != 0) {
        throw InputError(
            "the stream reaches address 0x{:x} but the mapping covers {} address bits (0x{:x} bytes). A "
            "larger density or fewer bytes?",
            highest, mapping.address_bits(), std::uint64_t{1} << mapping.address_bits());
    }
}

void check_run(Standard const& standard, Mapping const& mapping, Stream const& stream, Options const& options) {
    (void)review(standard);
    check_options(standard, options);
    check_fit(standard, mapping, stream);
}

/// One front end for all channels, or one per channel.
std::vector<FrontEnd> front_ends(FrontEnd::Run const& run) {
    auto const channels = static_cast<std::size_t>(run.standard.organisation.channels);
    bool const independent = run.options.front_end == FrontEndMode::independent;
    std::vector<FrontEnd> parts;
    parts.reserve(independent ? channels : 1);
    for (std::size_t i = 0; i < (independent ? channels : 1); ++i)
        parts.emplace_back(run, i, independent ? 1 : channels);
    return parts;
}

void add(PrefixCost const& part, PrefixCost& sum) {
    sum.cycles = std::max(sum.cycles, part.cycles);
    sum.row_activations += part.row_activations;
}

/// Among channels that begin with equivalent requests, simulates only the one with the most requests, and reads the
/// costs of the others where they end.
std::vector<PrefixCost> run_equivalent(EquivalentChannels const& channels, std::vector<FrontEnd>& parts,
                                       std::span<std::uint64_t const> lengths) {
    auto const longest = channels.longest(lengths.back());
    std::vector<std::vector<std::uint64_t>> cuts(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        for (auto const length : lengths)
            cuts[longest[i]].push_back(channels.prefix_with(longest[i], channels.requests(i, length)));
    }
    std::vector<std::vector<PrefixCost>> costs(parts.size());
    tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t i) {
        std::ranges::sort(cuts[i]);
        cuts[i].erase(std::ranges::unique(cuts[i]).begin(), cuts[i].end());
        if (!cuts[i].empty()) costs[i] = parts[i].run_prefixes(cuts[i]);
    });
    std::vector<PrefixCost> sums(lengths.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        auto const& at = cuts[longest[i]];
        for (std::size_t n = 0; n < sums.size(); ++n) {
            auto const cut = channels.prefix_with(longest[i], channels.requests(i, lengths[n]));
            add(costs[longest[i]][static_cast<std::size_t>(std::ranges::lower_bound(at, cut) - at.begin())], sums[n]);
        }
    }
    return sums;
}

}  // namespace

Counters simulate(Standard const& standard, Mapping const& mapping, Stream const& stream, Options const& options) {
    check_run(standard, mapping, stream, options);
    auto parts = front_ends({standard, mapping, stream, options});
    auto const representative =
        parts.size() == 1 ? std::vector<std::size_t>{0}
                          : EquivalentChannels(standard, mapping, stream, options).representatives(stream.size());
    std::vector<Tick> ends(parts.size(), 0);
    auto const each = [&](auto const& on) {
        tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t i) {
            if (representative[i] == i) on(i);
        });
    };
    each([&](std::size_t i) { ends[i] = parts[i].run(); });
    Tick const end = *std::max_element(ends.begin(), ends.end());
    std::vector<Counters> counted(parts.size());
    each([&](std::size_t i) { counted[i] = parts[i].finish(end); });

    Counters sum;
    for (auto const i : representative) sum.add(counted[i]);
    sum.simulated = stream.size() - parts.front().skipped();
    sum.requests = stream.size();
    sum.refreshes_are_all_bank = options.refresh != RefreshMode::per_bank;
    return sum;
}

std::vector<PrefixCost> simulate_prefixes(Standard const& standard, Mapping const& mapping, Stream const& stream,
                                          Options const& options, std::span<std::uint64_t const> lengths) {
    check_run(standard, mapping, stream, options);
    expects(!lengths.empty() && lengths.back() == stream.size() && options.window == 0,
            "the last prefix is the whole stream, and outstanding requests are not limited");
    auto parts = front_ends({standard, mapping, stream, options});
    EquivalentChannels const equivalent(standard, mapping, stream, options);
    if (equivalent.any()) return run_equivalent(equivalent, parts, lengths);
    std::vector<std::vector<PrefixCost>> costs(parts.size());
    tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t i) { costs[i] = parts[i].run_prefixes(lengths); });
    std::vector<PrefixCost> sums(lengths.size());
    for (auto const& of_part : costs) {
        for (std::size_t n = 0; n < sums.size(); ++n) add(of_part[n], sums[n]);
    }
    return sums;
}

}  // namespace pimdse::sim::dram
