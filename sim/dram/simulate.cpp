#include "sim/dram/simulate.hpp"

#include "sim/base/check.hpp"
#include "sim/dram/alike.hpp"
#include "sim/dram/family.hpp"
#include "sim/dram/feeder.hpp"
#include "sim/dram/standard.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <algorithm>
#include <array>
#include <utility>

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

namespace {

/// The front ends of a run: one for all channels, or one for each.
template <Family family>
std::vector<Feeder<family>> feeders(typename Feeder<family>::Work const& work) {
    auto const channels = static_cast<std::size_t>(work.standard.organisation.channels);
    bool const apart = work.options.front_end == FrontEnd::independent;
    std::vector<Feeder<family>> parts;
    parts.reserve(apart ? channels : 1);
    for (std::size_t i = 0; i < (apart ? channels : 1); ++i) parts.emplace_back(work, i, apart ? 1 : channels);
    return parts;
}

/// Runs one front end of those that count the same.
template <Family family>
Counters run_family(Standard const& standard, Mapping const& mapping, Stream const& stream, Options const& options) {
    auto parts = feeders<family>({standard, mapping, stream, options});
    auto const of =
        parts.size() == 1 ? std::vector<std::size_t>{0} : Alike(standard, mapping, stream, options).same(stream.size());
    std::vector<Tick> ends(parts.size(), 0);
    auto const each = [&](auto const& on) {
        tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t i) {
            if (of[i] == i) on(i);
        });
    };
    each([&](std::size_t i) { ends[i] = parts[i].run(); });
    Tick const end = *std::max_element(ends.begin(), ends.end());
    std::vector<Counters> counted(parts.size());
    each([&](std::size_t i) { counted[i] = parts[i].settle(end); });

    Counters sum;
    for (auto const i : of) sum.add(counted[i]);
    sum.simulated = stream.size() - parts.front().skipped();
    return sum;
}

void add(Ended const& part, Ended& sum) {
    sum.cycles = std::max(sum.cycles, part.cycles);
    sum.activates += part.activates;
}

/// Runs the channel with most requests of those that begin alike, and cuts it where each of them ends.
template <Family family>
std::vector<Ended> run_alike(Alike const& equivalent, std::vector<Feeder<family>>& parts,
                             std::span<std::uint64_t const> lengths) {
    auto const of = equivalent.longest(lengths.back());
    std::vector<std::vector<std::uint64_t>> cuts(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        for (auto const length : lengths)
            cuts[of[i]].push_back(equivalent.length_with(of[i], equivalent.requests(i, length)));
    }
    std::vector<std::vector<Ended>> ends(parts.size());
    tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t i) {
        std::ranges::sort(cuts[i]);
        cuts[i].erase(std::ranges::unique(cuts[i]).begin(), cuts[i].end());
        if (!cuts[i].empty()) ends[i] = parts[i].run_prefixes(cuts[i]);
    });
    std::vector<Ended> all(lengths.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        auto const& at = cuts[of[i]];
        for (std::size_t n = 0; n < all.size(); ++n) {
            auto const cut = equivalent.length_with(of[i], equivalent.requests(i, lengths[n]));
            add(ends[of[i]][static_cast<std::size_t>(std::ranges::lower_bound(at, cut) - at.begin())], all[n]);
        }
    }
    return all;
}

template <Family family>
std::vector<Ended> run_prefixes_of(Standard const& standard, Mapping const& mapping, Stream const& stream,
                                   Options const& options, std::span<std::uint64_t const> lengths) {
    auto parts = feeders<family>({standard, mapping, stream, options});
    Alike const equivalent(standard, mapping, stream, options);
    if (equivalent.any()) return run_alike(equivalent, parts, lengths);
    std::vector<std::vector<Ended>> ends(parts.size());
    tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t i) { ends[i] = parts[i].run_prefixes(lengths); });
    std::vector<Ended> all(lengths.size());
    for (auto const& of_part : ends) {
        for (std::size_t n = 0; n < all.size(); ++n) add(of_part[n], all[n]);
    }
    return all;
}

template <Family family>
std::vector<Watched> watch_family(Standard const& standard, Mapping const& mapping, Stream const& stream,
                                  Options const& options, std::uint64_t warm_up) {
    auto parts = feeders<family>({standard, mapping, stream, options});
    std::vector<Watched> noted(parts.size());
    tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t i) { noted[i] = parts[i].watch(warm_up); });
    return noted;
}

struct Runner {
    decltype(&run) run_all;
    decltype(&run_prefixes) run_several;
    decltype(&watch) watch_stretch;
};

template <std::size_t... families>
constexpr std::array<Runner, family_count> runners_of(std::index_sequence<families...>) {
    return {Runner{run_family<static_cast<Family>(families)>, run_prefixes_of<static_cast<Family>(families)>,
                   watch_family<static_cast<Family>(families)>}...};
}

/// By family. A family without a Channel of its own does not compile.
constexpr auto runners = runners_of(std::make_index_sequence<family_count>{});

}  // namespace

Counters run(Standard const& standard, Mapping const& mapping, Stream const& stream, Options const& options) {
    return runners.at(static_cast<std::size_t>(standard.family)).run_all(standard, mapping, stream, options);
}

std::vector<Ended> run_prefixes(Standard const& standard, Mapping const& mapping, Stream const& stream,
                                Options const& options, std::span<std::uint64_t const> lengths) {
    return runners.at(static_cast<std::size_t>(standard.family))
        .run_several(standard, mapping, stream, options, lengths);
}

std::vector<Watched> watch(Standard const& standard, Mapping const& mapping, Stream const& stretch,
                           Options const& options, std::uint64_t warm_up) {
    return runners.at(static_cast<std::size_t>(standard.family))
        .watch_stretch(standard, mapping, stretch, options, warm_up);
}

}  // namespace pimdse::sim::dram
