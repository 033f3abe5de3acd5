#pragma once

#include "sim/dram/feeder_impl.hpp"
#include "sim/dram/run.hpp"

#include <algorithm>
#include <tbb/parallel_for.h>

namespace pimdse::sim::dram {

template <Family family>
Counters run(Standard const& standard, Mapping const& mapping, Stream const& stream, Options const& options) {
    typename Feeder<family>::Work const work{standard, mapping, stream, options};
    auto const channels = static_cast<std::size_t>(standard.organisation.channels);
    bool const apart = options.front_end == FrontEnd::independent;
    std::size_t const feeders = apart ? channels : 1;
    std::vector<Feeder<family>> parts;
    parts.reserve(feeders);
    for (std::size_t i = 0; i < feeders; ++i) parts.emplace_back(work, i, apart ? 1 : channels);

    std::vector<Tick> ends(feeders, 0);
    tbb::parallel_for(std::size_t{0}, feeders, [&](std::size_t i) { ends[i] = parts[i].run(); });
    Tick const end = *std::max_element(ends.begin(), ends.end());
    std::vector<Counters> counted(feeders);
    tbb::parallel_for(std::size_t{0}, feeders, [&](std::size_t i) { counted[i] = parts[i].settle(end); });

    Counters sum;
    for (auto const& c : counted) sum.add(c);
    sum.simulated = stream.size() - parts.front().skipped();
    return sum;
}

}  // namespace pimdse::sim::dram
