#include "models/service/served_figures.hpp"

#include "models/contract/architecture.hpp"
#include "serving_machine.hpp"
#include "tests/support/campaign.hpp"

#include <gtest/gtest.h>
#include <set>
#include <string>
#include <utility>

/// Designs at other prices, and with other links, beside those that are prepared and served anew.
namespace pimdse::models::service::test::served_figures_test {
namespace {

/// A design whose outcomes are asked under constants of a draw.
class Design {
  public:
    Design(std::string const& name, Settings const& settings) : architecture_(find_architecture(name)) {
        auto parameters = architecture_.parameters();
        auto const more = scheduler_parameters();
        parameters.insert(parameters.end(), more.begin(), more.end());
        point_ = point_with(parameters, settings);
        inputs_ = prepare(architecture_, parameters);
    }
    [[nodiscard]] Outcome as_prepared(Traffic const& traffic) const { return outcome(inputs_, traffic); }
    /// What the machine prepared is kept.
    [[nodiscard]] Outcome with(std::string const& constant, double value, Traffic const& traffic) const {
        EXPECT_TRUE(is_read_by_groups_only(architecture_, constant));
        return outcome(with_drawn_for_groups(architecture_, inputs_, drawn_options(constant, value)), traffic);
    }
    [[nodiscard]] Outcome anew(std::string const& constant, double value, Traffic const& traffic) const {
        return outcome(prepare(architecture_, inputs_.parameters, drawn_options(constant, value)), traffic);
    }

    /// Another design of the machine, which has what this one prepared.
    [[nodiscard]] Outcome at(Settings const& settings, Traffic const& traffic) const {
        auto parameters = inputs_.parameters;
        return evaluate_service(architecture_, inputs_, point_with(parameters, settings), Fidelity::analytic, traffic);
    }

  private:
    [[nodiscard]] ModelOptions drawn_options(std::string const& constant, double value) const {
        auto options = inputs_.options;
        options.drawn[constant] = value;
        return options;
    }
    [[nodiscard]] Outcome outcome(Inputs const& inputs, Traffic const& traffic) const {
        return evaluate_service(architecture_, inputs, point_, Fidelity::analytic, traffic);
    }

    Architecture const& architecture_;
    std::vector<Value> point_;
    Inputs inputs_;
};

std::vector<double> values_of(Outcome const& outcome) {
    std::vector<double> values;
    if (auto const* metrics = std::get_if<Metrics>(&outcome))
        for (auto const& metric : *metrics)
            values.insert(values.end(), {applies(metric) ? metric.value : -1.0, metric.lower, metric.upper});
    for (auto& value : values)
        if (value != value) value = -2.0;
    return values;
}

TEST(Served_figures, are_those_of_machines_that_are_prepared_and_served_anew) {
    Settings const two{{"llm", "llama-3.2-1b"}, {"devices", "2"}, {"link", "pcie5"}};
    auto const traffic = drawn("15 1/s", 80, {{"slo.ttft", "1 s"}, {"slo.tpot", "50 ms"}});
    tests::Turns turns(2);
    for (auto const* machine : {"gpu", "lpddr5x_pim", "umdam"}) {
        Design const design(machine, two);
        auto const now = values_of(design.as_prepared(traffic));
        ASSERT_FALSE(now.empty()) << machine;
        for (auto const& [constant, value, moves] :
             {std::tuple("economy.electricity", 1e-7, true), std::tuple("economy.lifetime", 5e7, true),
              std::tuple("links.pcie5_step", 4e-5, true), std::tuple("links.pcie5_energy", 1e-9, true),
              std::tuple("links.nvlink4_step", 4e-5, false)}) {
            if (!turns.next()) continue;
            auto const kept = values_of(design.with(constant, value, traffic));
            EXPECT_EQ(kept, values_of(design.anew(constant, value, traffic))) << machine << ": " << constant;
            EXPECT_EQ(kept != now, moves) << machine << ": " << constant;
        }
    }
}

/// A watcher that refuses does so at the same power and with the same words whether the figures are known or not.
TEST(Served_figures, are_refused_as_if_they_were_not_known) {
    auto const traffic = drawn("15 1/s", 80, {{"slo.ttft", "1 s"}, {"slo.tpot", "50 ms"}, {"slo.required", "true"}});
    ServingMachine const known("gpu", {{"llm", "llama-3.2-1b"}}), fresh("gpu", {{"llm", "llama-3.2-1b"}});
    double const most = known.value(traffic, "peak_power");  // from now on its figures are known
    auto const at = static_cast<std::size_t>(find_metric(known.table(), "peak_power"));
    for (double const share : {0.2, 0.6, 0.95, 1.2}) {
        Refusal const refusal = [&](Metrics const& so_far) -> std::optional<Infeasible> {
            if (so_far[at].lower <= share * most) return std::nullopt;
            return Infeasible{"limit", std::to_string(so_far[at].lower)};
        };
        auto const once = known.outcome(traffic, Fidelity::analytic, refusal);
        auto const again = fresh.outcome(traffic, Fidelity::analytic, refusal);
        ASSERT_EQ(once.index(), again.index()) << share;
        EXPECT_EQ(std::holds_alternative<Infeasible>(once), share < 1.0) << share;
        if (auto const* rule = std::get_if<Infeasible>(&once)) {
            EXPECT_EQ(rule->reason, std::get<Infeasible>(again).reason) << share;
        }
    }
}

/// Designs that differ in limits of a step, asked one after the other, have the outcome of one that is asked alone.
TEST(Served_figures, of_limits_that_matter_and_of_those_that_do_not_are_those_of_a_design_alone) {
    auto const traffic = drawn("8 1/s", 80, {{"slo.ttft", "1 s"}, {"slo.tpot", "50 ms"}, {"slo.required", "true"}});
    int alike = 0;
    for (auto const* machine : {"gpu", "lpddr5x_pim", "umdam"}) {
        Design const machine_of_all(machine, {{"llm", "llama-3.2-1b"}});
        std::set<std::vector<double>> seen;
        for (auto const* sequences : {"2", "8", "64", "80", "1000"})
            for (auto const* tokens : {"64", "512", "8192"}) {
                Settings const settings{{"llm", "llama-3.2-1b"},
                                        {"scheduler.max_sequences", sequences},
                                        {"scheduler.max_batched_tokens", tokens}};
                auto const outcome = values_of(machine_of_all.at(settings, traffic));
                EXPECT_EQ(outcome, values_of(Design(machine, settings).as_prepared(traffic))) << sequences << tokens;
                alike += !outcome.empty() && !seen.insert(outcome).second ? 1 : 0;
            }
    }
    EXPECT_GT(alike, 3);
}

/// Requests taken in turn by copies are served as by machines that have only theirs.
TEST(Copies, serve_their_parts_as_machines_of_their_own) {
    auto const traffic = drawn("40 1/s", 90);
    for (auto const* name : {"gpu", "hbm_pim"}) {
        ServingMachine const one(name, {{"llm", "llama-3.2-1b"}}),
            three(name, {{"llm", "llama-3.2-1b"}, {"copies", "3"}});
        auto const all = three.served(traffic);
        EXPECT_EQ(all.schedule.engines, 3);
        double joules = 0.0;
        for (std::size_t first = 0; first < 3; ++first) {
            auto part = traffic;
            part.load.requests.clear();
            for (auto i = first; i < traffic.load.requests.size(); i += 3)
                part.load.requests.push_back(traffic.load.requests[i]);
            auto const own = one.served(part);
            for (std::size_t i = 0; i < own.schedule.requests.size(); ++i)
                EXPECT_EQ(own.schedule.requests[i], all.schedule.requests[first + 3 * i]);
            joules += own.schedule.joules;
        }
        EXPECT_GE(all.schedule.joules, joules) << "copies that are done first idle until the last one is";
        for (auto const* metric : {"cost", "silicon", "idle_power", "embodied_carbon", "area", "memory_area"})
            EXPECT_DOUBLE_EQ(three.value(traffic, metric), 3.0 * one.value(traffic, metric)) << metric;
        EXPECT_EQ(three.value(traffic, "precision"), one.value(traffic, "precision"));
    }
}

}  // namespace
}  // namespace pimdse::models::service::test::served_figures_test
