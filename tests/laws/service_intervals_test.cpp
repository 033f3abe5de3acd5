#include "law_count.hpp"
#include "models/pair/pair.hpp"
#include "models/service/scheduler_parameters.hpp"
#include "models/service/service.hpp"
#include "models/service/service_metrics.hpp"
#include "models/text/text.hpp"
#include "served_points.hpp"
#include "small_points.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

/// What an exact search of services relies on: every proved end of an interval that a coarse fidelity states holds for
/// the result of the finest one, whatever arrives, in open and closed loops, on one device, groups and pairs.
namespace pimdse::laws::service_intervals_test {
namespace {

using models::Architecture;
using models::Bound;
using models::Fidelity;
using models::Metrics;
using models::service::Traffic;

/// Prompts that begin alike or are those of an earlier request, and perhaps requests that continue others.
void add_past(Traffic& traffic, Bits& bits, bool sessions) {
    auto& load = traffic.load;
    auto tree = std::make_shared<sim::serving::Prefixes>();
    auto const alike = 1 + static_cast<std::int64_t>(bits.below(12));
    tree->parts.push_back({0, alike});
    for (std::size_t i = 0; i < load.requests.size(); ++i) {
        auto& request = load.requests[i];
        if (sessions && i > 0 && bits.below(3) == 0) {
            request.parent = static_cast<std::uint32_t>(bits.below(i));
            request.after = static_cast<double>(bits.below(2)) * load.requests.back().arrival;
        }
        if (request.input < alike || bits.below(5) == 0) continue;
        if (tree->paths() > 0 && bits.below(2) == 0) {
            request.path = static_cast<std::uint32_t>(bits.below(tree->paths()));
            continue;
        }
        tree->steps.insert(tree->steps.end(), {0, static_cast<std::uint32_t>(tree->parts.size())});
        tree->parts.push_back({alike, request.input + request.output});
        request.path = tree->end_path();
    }
    load.prefixes = std::move(tree);
}

/// A few short requests, so that every step can be simulated, some of sessions.
Traffic drawn_traffic(Bits& bits) {
    auto const log_uniform = [&](double from, double to) {
        return from * std::pow(to / from, static_cast<double>(bits.below(1001)) / 1000.0);
    };
    auto const tokens = [&](double max) { return static_cast<std::int64_t>(log_uniform(1.0, max)); };
    Traffic traffic;
    bool const alike = bits.below(2) == 0;
    auto const input = tokens(90.0), output = tokens(16.0);
    double const gap = log_uniform(1e-7, 10.0);
    double time = bits.below(2) == 0 ? 0.0 : gap;
    for (auto n = 1 + bits.below(8); n > 0; --n) {
        if (alike)
            traffic.load.requests.push_back({time, input, output});
        else
            traffic.load.requests.push_back({time, tokens(90.0), tokens(16.0)});
        if (bits.below(3) != 0) time += log_uniform(0.1, 10.0) * gap;
    }
    if (bits.below(2) == 0) {
        traffic.load.concurrency = 1 + static_cast<std::int64_t>(bits.below(4));
        for (auto& request : traffic.load.requests) request.arrival = 0.0;
    }
    if (bits.below(2) == 0) add_past(traffic, bits, bits.below(2) == 0);
    auto const size = static_cast<std::int64_t>(traffic.load.requests.size());
    for (auto const& request : traffic.load.requests) {
        traffic.mean_input += request.input;
        traffic.mean_output += request.output;
    }
    traffic.mean_input = (traffic.mean_input - 1 + size - 1) / size;
    traffic.mean_output = (traffic.mean_output - 1 + size - 1) / size;
    if (bits.below(2) == 0) traffic.objectives.ttft = log_uniform(1e-5, 10.0);
    if (bits.below(2) == 0) traffic.objectives.tpot = log_uniform(1e-6, 1.0);
    traffic.share = 0.5;
    return traffic;
}

/// Requests about a few topics in turn, each of which begins with all that was said about its topic.
Traffic drawn_talks(Bits& bits) {
    auto traffic = drawn_traffic(bits);
    auto& load = traffic.load;
    load.requests.assign(8 + bits.below(12), {});
    auto tree = std::make_shared<sim::serving::Prefixes>();
    auto const topics = 2 + bits.below(4);
    for (std::size_t topic = 0; topic < topics; ++topic) {
        tree->steps.push_back(static_cast<std::uint32_t>(topic));
        tree->parts.push_back({0, 24 + static_cast<std::int64_t>(bits.below(50))});
        (void)tree->end_path();
    }
    double const gap = std::pow(10.0, -static_cast<double>(bits.below(7)));
    for (double time = 0.0; auto& request : load.requests) {
        auto const topic = bits.below(topics);
        request.path = static_cast<std::uint32_t>(topic);
        request.input = tree->parts[topic].end + static_cast<std::int64_t>(bits.below(12));
        request.output = 1 + static_cast<std::int64_t>(bits.below(5));
        if (load.concurrency > 0) continue;
        request.arrival = time;
        time += gap * static_cast<double>(bits.below(4));
    }
    load.prefixes = std::move(tree);
    return traffic;
}

/// Few sequences and tokens in a step, and small caches, so that prompts are cut and sequences preempted. `fetches`:
/// caches that keep what they can, and evict some of it.
std::string add_scheduler(Values& point, Bits& bits, bool fetches = false) {
    auto parameters = models::service::scheduler_parameters();
    std::vector<std::pair<std::string, std::string>> settings;
    auto const one_of = [&](char const* name, std::vector<std::string> const& texts) {
        if (bits.below(2) == 0) settings.emplace_back(name, texts[bits.below(texts.size())]);
    };
    one_of("scheduler.max_sequences", {"1", "2", "3", "8"});
    one_of("scheduler.max_batched_tokens", {"1000000000", "4", "16", "50"});
    one_of("scheduler.block_tokens", {"1", "4", "16"});
    one_of("scheduler.policy", {"fcfs", "shortest_prompt"});
    if (!fetches) one_of("scheduler.cache_tokens", {"0", "32", "64", "120"});
    if (!fetches) one_of("scheduler.prefix_cache", {"on"});
    one_of("scheduler.state_every", {"4", "16", "1024"});
    one_of("scheduler.reuse", {"fetch", fetches ? "fetch" : "compute"});
    if (fetches) settings.emplace_back("scheduler.cache_tokens", bits.below(2) == 0 ? "112" : "160");
    if (fetches) settings.emplace_back("scheduler.prefix_cache", "on");
    auto const values = models::point_with(parameters, settings);
    point.insert(point.end(), values.begin(), values.end());
    return laws::shown(parameters, values);
}

std::string shown_traffic(Traffic const& traffic) {
    auto text = fmt::format("users={} slo=({:g}, {:g})", traffic.load.concurrency, traffic.objectives.ttft,
                            traffic.objectives.tpot);
    for (auto const& request : traffic.load.requests)
        text += fmt::format(" ({:.9g} s, {}, {}, after {} by {:.9g} s, path {})", request.arrival, request.input,
                            request.output, static_cast<int>(request.parent), request.after,
                            static_cast<int>(request.path));
    return text;
}

/// Compares the intervals of designs of one machine, and counts them by kind of traffic.
class Intervals {
  public:
    explicit Intervals(Architecture const& architecture) : law_("intervals of services hold", architecture.name) {
        metrics_ = architecture.metrics();
        auto const own = models::service::service_metrics();
        metrics_.insert(metrics_.end(), own.begin(), own.end());
    }

    /// Whether the design can serve the traffic.
    bool compare(Architecture const& architecture, models::Inputs const& inputs, Values const& point,
                 Traffic const& traffic, std::string const& shown) {
        auto const at = [&](Fidelity fidelity) {
            return models::service::evaluate_service(architecture, inputs, point, fidelity, traffic);
        };
        auto const coarsest = at(architecture.fidelities.front());
        if (std::holds_alternative<models::Infeasible>(coarsest)) return false;
        auto const exact = at(architecture.fidelities.back());
        for (auto const fidelity : architecture.fidelities) {
            if (fidelity == architecture.fidelities.back()) break;
            auto const coarse = fidelity == architecture.fidelities.front() ? coarsest : at(fidelity);
            auto const* found = std::get_if<Metrics>(&coarse);
            auto const* fine = std::get_if<Metrics>(&exact);
            law_.tried();
            if (found == nullptr || fine == nullptr) {
                law_.violated(fmt::format("feasible at one fidelity only: {} {}", shown, shown_traffic(traffic)));
                continue;
            }
            auto const reused = static_cast<std::size_t>(models::find_metric(metrics_, "reused_share"));
            if ((*fine)[reused].value > 0.0) ++reused_;
            auto const fetched = static_cast<std::size_t>(models::find_metric(metrics_, "fetched_share"));
            if ((*fine)[fetched].value > 0.0) ++fetched_;
            for (std::size_t i = 0; i < metrics_.size(); ++i) {
                if (!models::applies((*found)[i]) && models::applies((*fine)[i]) &&
                    !models::service::applies_by_schedule(metrics_[i].name))
                    law_.violated(fmt::format("{} applies at the finest fidelity only: {} {}", metrics_[i].name, shown,
                                              shown_traffic(traffic)));
                compare((*found)[i], (*fine)[i].value, traffic.load.concurrency > 0 ? "closed loop" : "open",
                        fmt::format("{} at {}: {} {}", metrics_[i].name, models::name_of(fidelity), shown,
                                    shown_traffic(traffic)));
            }
        }
        return true;
    }

    /// Designs that fetch parts of prompts.
    [[nodiscard]] std::int64_t fetched() const { return fetched_; }
    [[nodiscard]] ::testing::AssertionResult hold() {
        for (auto const& [kind, count] : counts_)
            fmt::print("  {}: {} intervals, {} violations\n", kind, count.first, count.second);
        fmt::print("  {} designs reuse parts of prompts, {} fetch some\n", reused_, fetched_);
        return law_.holds();
    }

  private:
    void compare(models::Estimate const& interval, double exact, std::string const& kind, std::string const& what) {
        if (!models::applies(interval)) return;
        auto& count = counts_[kind];
        auto const compare_end = [&](Bound proof, double end, bool right) {
            if (proof != Bound::proved) return;
            ++count.first;
            if (right) return;
            ++count.second;
            law_.violated(fmt::format("proved {:.17g}, exact {:.17g}: {}", end, exact, what));
        };
        compare_end(interval.kinds.lower, interval.lower, interval.lower <= exact);
        compare_end(interval.kinds.upper, interval.upper, interval.upper >= exact);
    }

    LawCount law_;
    std::int64_t reused_ = 0, fetched_ = 0;
    models::MetricList metrics_;
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> counts_;
};

/// Requests of small models with all kinds of layers.
SmallPoints serving_points(Architecture const& architecture) {
    SmallPoints points{architecture.workload.implied,
                       {{"llm",
                         {own("tiny_kinds.toml"), own("tiny_chunks.toml"), own("tiny_latent.toml"),
                          own("tiny_states.toml"), own("tiny_shared.toml")}}}};
    points.base.emplace_back("llm", own("tiny.toml"));
    points.base.emplace_back("generation", "autoregressive");
    return points;
}

class Services : public ::testing::TestWithParam<Architecture const*> {};

TEST_P(Services, have_intervals_that_contain_the_finest_fidelity) {
    auto const& architecture = *GetParam();
    Intervals intervals(architecture);
    PointDrawer drawer(architecture, 4711, {}, serving_points(architecture));
    Bits bits(4712);
    std::uint64_t served = 0;
    // Loads of upmem take seconds each.
    auto const wanted = architecture.name == "upmem" && !in_campaign() ? 1 : designs_of(40);
    for (std::uint64_t tries = 0; tries < 40 * std::max<std::uint64_t>(wanted, 40) && served < wanted; ++tries) {
        auto point = drawer.point();
        auto shown = drawer.shown(point);
        shown += add_scheduler(point, bits);
        if (intervals.compare(architecture, drawer.inputs(), point, drawn_traffic(bits), shown)) ++served;
    }
    EXPECT_TRUE(intervals.hold());
}

class FetchingServices : public ::testing::TestWithParam<Architecture const*> {};

TEST_P(FetchingServices, have_intervals_that_contain_the_finest_fidelity) {
    auto const& architecture = *GetParam();
    Intervals intervals(architecture);
    auto points = serving_points(architecture);
    points.base.emplace_back("tier_capacity", "1048576");
    PointDrawer drawer(architecture, 4713, {}, points);
    Bits bits(4714);
    std::int64_t served = 0;
    auto const wanted = static_cast<std::int64_t>(std::max<std::uint64_t>(10, designs_of(20)));
    for (std::int64_t tries = 0; tries < 40 * wanted && served < wanted; ++tries) {
        auto point = drawer.point();
        auto shown = drawer.shown(point);
        shown += add_scheduler(point, bits, true);
        if (intervals.compare(architecture, drawer.inputs(), point, drawn_talks(bits), shown)) ++served;
    }
    EXPECT_TRUE(intervals.hold());
    EXPECT_GE(3 * intervals.fetched(), served) << "a third of them fetch";
}

Architecture const& vectors_with_tier() {
    static auto const made = models::text::architecture(PIMDSE_TEST_DATA "/machines/dram_vectors_tier.toml");
    return made;
}

/// Architectures of the catalogue and machine files with more than one fidelity, and pairs of them. No shipped file has
/// both simulated memories and bounds of requests.
std::vector<Architecture const*> machines() {
    auto all = all_architectures();
    auto const files = machines_of_files();
    all.insert(all.end(), files.begin(), files.end());
    auto const find = [&](std::string_view name) { return *std::ranges::find(all, name, &Architecture::name); };
    static auto const of_bounded_steps = models::text::architecture(PIMDSE_TEST_DATA "/machines/dram_vectors.toml");
    all.push_back(&of_bounded_steps);
    all.push_back(&vectors_with_tier());
    static std::vector<Architecture> const pairs{models::pair::architecture(*find("dplena"), *find("umdam")),
                                                 models::pair::architecture(*find("umdam"), *find("umdam")),
                                                 models::pair::architecture(*find("gpu"), *find("aim_card")),
                                                 models::pair::architecture(*find("dram_vectors"), *find("umdam"))};
    for (auto const& pair : pairs) all.push_back(&pair);
    std::erase_if(all, [](Architecture const* one) { return one->fidelities.size() < 2; });
    return all;
}

std::vector<Architecture const*> machines_with_tier() {
    auto const all = all_architectures();
    return {&vectors_with_tier(), *std::ranges::find(all, "umdam", &Architecture::name)};
}

std::string name_of_test(::testing::TestParamInfo<Architecture const*> const& param) {
    std::string name(param.param->name);
    std::ranges::replace(name, ':', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Machines, Services, ::testing::ValuesIn(machines()), name_of_test);
INSTANTIATE_TEST_SUITE_P(Machines, FetchingServices, ::testing::ValuesIn(machines_with_tier()), name_of_test);

}  // namespace
}  // namespace pimdse::laws::service_intervals_test
