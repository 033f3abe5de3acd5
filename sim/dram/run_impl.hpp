#pragma once

#include "sim/dram/feeder_impl.hpp"
#include "sim/dram/run.hpp"

#include <tbb/parallel_for.h>
#include <algorithm>

namespace pimdse::sim::dram {

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

template <Family family>
Counters run(Standard const& standard, Mapping const& mapping, Stream const& stream, Options const& options) {
    auto parts = feeders<family>({standard, mapping, stream, options});
    std::vector<Tick> ends(parts.size(), 0);
    tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t i) { ends[i] = parts[i].run(); });
    Tick const end = *std::max_element(ends.begin(), ends.end());
    std::vector<Counters> counted(parts.size());
    tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t i) { counted[i] = parts[i].settle(end); });

    Counters sum;
    for (auto const& c : counted) sum.add(c);
    sum.simulated = stream.size() - parts.front().skipped();
    return sum;
}

template <Family family>
std::vector<Watched> watch(Standard const& standard, Mapping const& mapping, Stream const& stream,
                           Options const& options, std::uint64_t warm_up) {
    auto parts = feeders<family>({standard, mapping, stream, options});
    std::vector<Watched> noted(parts.size());
    tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t i) { noted[i] = parts[i].watch(warm_up); });
    return noted;
}

}  // namespace pimdse::sim::dram
