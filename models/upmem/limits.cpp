#include "models/upmem/limits.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace pimdse::models::upmem {
namespace {

double bytes_of(Plan const& plan) {
    double bytes = 0.0;
    for (auto const& launch : plan.launches)
        bytes += static_cast<double>(launch.count) * launch.task.work.mram_traffic();
    return bytes;
}

}  // namespace

PhaseLimit limit_of(Design const& d, std::string phase, Plan const& plan, Timeline const& t, BusyCycles const& busy) {
    double const total = t.total.si;
    sim::expects(total > 0.0, "a phase that takes no time has no limit");
    double const running = (t.kernel - t.launch).si;
    std::array const others{std::pair{"host link", (t.input + t.output).si}, std::pair{"launches", t.launch.si},
                            std::pair{"host", (t.host + t.exchange + t.offload).si}};
    auto const longest = std::ranges::max_element(others, {}, &std::pair<char const*, double>::second);
    if (longest->second > running) return {std::move(phase), longest->first, longest->second / total, 1.0, "1"};
    auto const dpus = static_cast<double>(d.dpus);
    if (busy.transferring > busy.issuing)
        return {std::move(phase), "MRAM bandwidth", dpus * bytes_of(plan) / total, dpus * d.mram_bandwidth.si, "B/s"};
    return {std::move(phase), "DPU pipelines", dpus * busy.issuing / total, dpus * d.frequency.si, "1/s"};
}

}  // namespace pimdse::models::upmem
