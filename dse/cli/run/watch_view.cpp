#include "dse/cli/run/watch_view.hpp"

#include "dse/cli/counted.hpp"
#include "dse/cli/json_text.hpp"
#include "dse/cli/run/pace.hpp"

#include <fmt/format.h>
#include <cmath>
#include <nlohmann/json.hpp>

namespace pimdse::dse::cli::run {
namespace {

/// How many of the points are answered. A search that closes points by bounds answers some twice and most never.
std::string share_of(WatchView const& v) {
    if (v.standing) return fmt::format("{}: {}", v.state, counted(v.answered, "answer"));
    double const share = v.planned > 0 ? static_cast<double>(v.answered) / static_cast<double>(v.planned) : 1.0;
    return fmt::format("{}: {}/{} ({:.1f} %)", v.state, v.answered, counted(v.planned, "point"), 100.0 * share);
}

}  // namespace

std::string text_of(WatchView const& v) {
    std::string text = share_of(v);
    if (v.rate > 0.0) text += fmt::format(", {:.{}f}/s", v.rate, v.rate < 10.0 ? 1 : 0);
    if (v.rate > 0.0 && !v.standing) text += fmt::format(", {} left", print_duration(v.seconds_left));
    text += fmt::format("; {} feasible, {} on the front", v.feasible, v.front);
    if (v.front > 0 && !std::isnan(v.hypervolume)) text += fmt::format(", hypervolume {:.4f}", v.hypervolume);
    if (v.standing) text += "\n  " + task::text_of(*v.standing);
    for (auto const& [rule, points] : v.rules) text += fmt::format("\n  {:<32} {}", rule, points);
    return text + "\n";
}

std::string json_of(WatchView const& v) {
    auto const number = [](double x) {
        return std::isnan(x) ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(x);
    };
    nlohmann::ordered_json text{{"state", v.state},
                                {"answered", v.answered},
                                {"planned", v.planned},
                                {"points_per_second", v.rate},
                                {"seconds_left", number(v.standing ? std::nan("") : v.seconds_left)},
                                {"feasible", v.feasible},
                                {"rules", v.rules},
                                {"front", v.front},
                                {"hypervolume", number(v.hypervolume)}};
    if (v.standing)
        text["standing"] = {{"closed", v.standing->closed},
                            {"flying", v.standing->flying},
                            {"open", v.standing->open},
                            {"gap", number(v.standing->gap)},
                            {"gap_is_rough", v.standing->gap_is_rough}};
    return json_text(text) + "\n";
}

}  // namespace pimdse::dse::cli::run
