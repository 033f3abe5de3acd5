#include "models/umdam/streams/pace.hpp"

#include "models/umdam/streams/simulated.hpp"
#include "sim/base/counting.hpp"
#include "sim/dram/effort.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace pimdse::models::umdam {

double walked_pace(PaceKey const& key, StreamAllowances const& a) {
    std::array const parts{a.walk_first, a.walk_second, a.walk_third, a.walk_fourth};
    auto const standard = with_organisation(*key.timing_set, key.organisation);
    auto const stream = stream_of({key.access, key.bursts, key.engines}, key.organisation.burst_bytes);
    sim::dram::Options options;
    options.front_end = sim::dram::FrontEnd::independent;
    options.queue_depth = static_cast<int>(key.queue_depth);
    std::uint64_t const length = std::min(stream.size(), static_cast<std::uint64_t>(sim::whole_part(a.walk_length)));
    sim::dram::Effort effort(standard, *key.mapping, options);
    double sum = 0.0;
    for (double const part : parts) {
        auto const first = static_cast<std::uint64_t>(part * static_cast<double>(stream.size() - length));
        auto const cycles = effort.of(stream, first, length);
        sum += std::accumulate(cycles.begin(), cycles.end(), 0.0);
    }
    return sum / static_cast<double>(parts.size() * length);
}

}  // namespace pimdse::models::umdam
