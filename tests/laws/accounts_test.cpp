#include "models/catalogue.hpp"
#include "models/contract/architecture.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/contract/parameter_text.hpp"
#include "random_point.hpp"
#include "served_points.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace pimdse::laws::accounts_test {
namespace {

using models::Architecture;
using models::Metrics;
using models::Value;

class Accounts : public ::testing::TestWithParam<Architecture> {
  protected:
    Architecture const& architecture() const { return GetParam(); }
    double metric(Metrics const& metrics, std::string_view name) const {
        int const index = models::find_metric(table_, name);
        return index < 0 ? std::nan("") : metrics[static_cast<std::size_t>(index)].value;
    }
    models::MetricList table_ = architecture().metrics();
    models::Inputs inputs_ = models::prepare(architecture(), architecture().parameters());
};

TEST_P(Accounts, a_common_name_has_the_common_unit_and_meaning) {
    for (auto const& metric : table_) {
        auto const* common = models::find_common_metric(metric.name);
        if (common == nullptr) continue;
        EXPECT_EQ(metric.unit, common->unit) << metric.name;
        EXPECT_EQ(metric.better, common->better) << metric.name;
        EXPECT_TRUE(metric.meaning.starts_with(common->meaning)) << metric.name << ": " << metric.meaning;
    }
}

/// A row of the table of common metrics is all that there is to a common metric: every architecture has it, in the
/// order of the table, with the value that follows from its results, those of groups of devices included.
TEST_P(Accounts, common_metrics_are_those_of_one_table) {
    auto const& all = models::common_metrics;
    ASSERT_GE(table_.size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(table_[i].name, all[i].name);
    ServedMachine const served(architecture());
    Bits bits(51);
    int of_groups = 0;
    for (std::uint64_t seed = 0; seed < 120; ++seed) {
        auto const point = seed < 60 ? random_point(inputs_.parameters, seed)
                                     : served.with(served.draw(bits), models::devices_name, 2);
        auto const fidelity = architecture().fidelities.front();
        auto const outcome = architecture().evaluate(inputs_, point, fidelity);
        if (!std::holds_alternative<Metrics>(outcome)) continue;
        of_groups += seed < 60 ? 0 : 1;
        auto const request = std::get<models::RequestResult>(architecture().request(inputs_, point, fidelity, nullptr));
        for (std::size_t i = 0; i < all.size(); ++i) {
            auto const& found = std::get<Metrics>(outcome)[i];
            auto const expected = all[i].of(request);
            EXPECT_EQ(models::applies(found), models::applies(expected)) << all[i].name;
            if (!models::applies(found)) continue;
            EXPECT_EQ(std::tuple(found.value, found.lower, found.upper),
                      std::tuple(expected.value, expected.lower, expected.upper))
                << all[i].name;
        }
    }
    EXPECT_GT(of_groups, 0);
}

template <class Rows>
void expect_every_row(std::vector<models::LedgerEntry> const& entries, Rows const& rows) {
    ASSERT_EQ(entries.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(entries[i].row, rows[i].name);
        // A clause of its own: at least three words, and not what describes the row.
        auto const& why = entries[i].why;
        EXPECT_GE(std::count(why.begin(), why.end(), ' '), 2) << entries[i].row << ": " << why;
        EXPECT_NE(why, rows[i].meaning) << entries[i].row;
    }
}

TEST_P(Accounts, the_ledger_says_something_of_every_row) {
    ASSERT_NE(architecture().ledger, nullptr);
    auto const ledger = architecture().ledger();
    expect_every_row(ledger.energy, models::energy_rows);
    expect_every_row(ledger.area, models::area_rows);
}

std::set<std::string, std::less<>> rows_used(std::vector<models::LedgerEntry> const& entries) {
    std::set<std::string, std::less<>> rows;
    for (auto const& entry : entries) {
        bool const is_counted = entry.account == models::Account::counted || entry.account == models::Account::assumed;
        if (is_counted) rows.emplace(entry.row);
    }
    return rows;
}

/// Joules and areas of random points by row of the ledger, added up; a row that the ledger does not count fails.
void fill(std::map<std::string, double>& filled, Architecture const& architecture, models::Host host) {
    models::ModelOptions options;
    options.assumptions.host = host;
    auto const inputs = models::prepare(architecture, architecture.parameters(), options);
    auto const ledger = architecture.ledger();
    auto const energy = rows_used(ledger.energy), area = rows_used(ledger.area);
    ServedMachine const served(architecture);
    Bits bits(36);
    for (std::uint64_t seed = 0; seed < 320; ++seed) {
        // Some are requests that two devices serve.
        auto const point = seed < 300 ? random_point(inputs.parameters, seed)
                                      : served.with(served.draw(bits), models::devices_name, 2);
        if (!std::holds_alternative<Metrics>(architecture.evaluate(inputs, point, architecture.fidelities.front())))
            continue;
        auto const shares = architecture.explain(inputs, point, architecture.fidelities.front());
        for (auto const& [list, rows, of] :
             {std::tuple{&shares.energy, &energy, "energy "}, std::tuple{&shares.area, &area, "area "}}) {
            for (auto const& share : *list) {
                auto const row = share.what.substr(0, share.what.find('/'));
                EXPECT_TRUE(rows->contains(row)) << of << share.what;
                EXPECT_GE(share.amount, 0.0) << of << share.what;
                filled[of + row] += share.amount;
            }
        }
    }
}

/// Shares are called by rows that the ledger counts; a row that no point ever fills, with its own host or the common
/// one, is not counted.
TEST_P(Accounts, breakdowns_go_along_the_ledger) {
    ASSERT_NE(architecture().ledger, nullptr);
    std::map<std::string, double> filled;
    for (auto const host : {models::Host::own, models::Host::included}) fill(filled, architecture(), host);
    auto const ledger = architecture().ledger();
    for (auto const& row : rows_used(ledger.energy)) EXPECT_GT(filled["energy " + row], 0.0) << "energy " << row;
    for (auto const& row : rows_used(ledger.area)) EXPECT_GT(filled["area " + row], 0.0) << "area " << row;
}

TEST_P(Accounts, silicon_is_that_of_all_processes) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        auto const point = random_point(inputs_.parameters, seed);
        auto const all = models::explained(architecture(), inputs_, point, architecture().fidelities.front());
        auto const* metrics = std::get_if<Metrics>(&all.outcome);
        if (metrics == nullptr) continue;
        double sum = 0.0, area = 0.0;
        for (auto const& share : all.silicon) sum += share.amount;
        for (auto const& share : all.area) area += share.amount;
        EXPECT_NEAR(sum, metric(*metrics, "silicon"), 1e-9 * sum);
        EXPECT_NEAR(all.silicon.at(0).amount + all.silicon.at(1).amount, area, 1e-9 * sum);
        EXPECT_GE(all.silicon.at(2).amount, metric(*metrics, "memory_area") * (1.0 - 1e-9));
    }
}

TEST_P(Accounts, area_is_broken_down_as_soon_as_there_is_one) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        auto const point = random_point(inputs_.parameters, seed);
        auto const fidelity = architecture().fidelities.front();
        auto const outcome = architecture().evaluate(inputs_, point, fidelity);
        auto const* metrics = std::get_if<Metrics>(&outcome);
        if (metrics == nullptr) continue;
        double sum = 0.0;
        for (auto const& share : architecture().explain(inputs_, point, fidelity).area) sum += share.amount;
        EXPECT_NEAR(sum, metric(*metrics, "area"), 1e-9 * sum);
        EXPECT_GT(sum, 0.0);
    }
}

TEST_P(Accounts, power_is_energy_over_latency_and_idle_power_is_below_it) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        auto const point = random_point(inputs_.parameters, seed);
        auto const outcome = architecture().evaluate(inputs_, point, architecture().fidelities.front());
        auto const* metrics = std::get_if<Metrics>(&outcome);
        if (metrics == nullptr) continue;
        double const power = metric(*metrics, "power"), latency = metric(*metrics, "latency");
        EXPECT_NEAR(power * latency, metric(*metrics, "energy"), 1e-9 * power * latency);
        EXPECT_LE(metric(*metrics, "idle_power"), power * (1.0 + 1e-9));
        EXPECT_GT(metric(*metrics, "idle_power"), 0.0);
    }
}

TEST_P(Accounts, tokens_per_second_and_energy_per_token_are_of_output_tokens) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        auto const point = random_point(inputs_.parameters, seed);
        auto const outcome = architecture().evaluate(inputs_, point, architecture().fidelities.front());
        auto const* metrics = std::get_if<Metrics>(&outcome);
        if (metrics == nullptr) continue;
        double const tokens = metric(*metrics, "tokens_per_second") * metric(*metrics, "latency");
        if (std::isnan(tokens)) continue;
        EXPECT_NEAR(metric(*metrics, "energy_per_token") * tokens, metric(*metrics, "energy"),
                    1e-9 * metric(*metrics, "energy"));
        EXPECT_NEAR(tokens, std::round(tokens), 1e-6 * tokens) << "tokens are counted";
    }
}

/// The next larger value of a number, twice as much; nothing where the limits do not allow it.
std::optional<Value> more_of(models::Parameter const& p, Value const& value) {
    bool const limited = p.lower != 0.0 || p.upper != 0.0;
    if (p.kind == models::Kind::integer) {
        auto const twice = value.as_integer() == 0 ? 1 : 2 * value.as_integer();
        if (!limited || static_cast<double>(twice) <= p.upper) return Value::integer(twice);
    }
    if (p.kind == models::Kind::quantity) {
        double const twice = 2.0 * value.as_quantity();
        if (!limited || twice <= p.upper) return Value::quantity(twice);
    }
    return std::nullopt;
}

/// No free lunch: more hardware is more area or more power when nothing is asked.
TEST_P(Accounts, more_of_a_resource_costs_area_and_idle_power) {
    auto const& parameters = inputs_.parameters;
    ServedMachine const served(architecture());
    Bits bits(37);
    for (std::size_t p = 0; p < parameters.size(); ++p) {
        if (!parameters[p].resource) continue;
        // Two meshes that each keep half a model may be smaller than the one that keeps it all.
        if (parameters[p].name == models::devices_name && architecture().name == "cim_mesh") continue;
        int compared = 0;
        for (std::uint64_t seed = 0; seed < 120; ++seed) {
            auto point = seed == 0 ? models::default_point(parameters) : random_point(parameters, seed);
            // Several devices serve a language model only.
            if (parameters[p].name == models::devices_name) point = served.draw(bits);
            auto const fidelity = architecture().fidelities.front();
            auto const less = architecture().evaluate(inputs_, point, fidelity);
            auto const next = more_of(parameters[p], point[p]);
            if (!next) continue;
            point[p] = *next;
            auto const more = architecture().evaluate(inputs_, point, fidelity);
            if (!std::holds_alternative<Metrics>(less) || !std::holds_alternative<Metrics>(more)) continue;
            ++compared;
            auto const cost = [&](models::Outcome const& outcome, char const* name) {
                return metric(std::get<Metrics>(outcome), name);
            };
            auto const rises = [&](char const* name, double by) {
                return cost(more, name) > cost(less, name) * (1.0 + by);
            };
            auto const here =
                fmt::format("{} = {}, seed {}", parameters[p].name, models::print_value(parameters[p], *next), seed);
            EXPECT_TRUE(rises("area", 1e-12) || rises("idle_power", 1e-12)) << here << " costs nothing";
            // Queues and their like are small; cim_mesh gates what waits, and its routers draw nothing then.
            bool const gated = architecture().name == "cim_mesh";
            EXPECT_TRUE(gated || !rises("area", 0.05) || rises("idle_power", 1e-12)) << here << " waits for free";
            // More devices may be smaller dies, of which more are good.
            auto const bill = parameters[p].name == models::devices_name ? "area" : "cost";
            for (auto const* name : {"area", "memory_area", "idle_power", bill})
                EXPECT_GE(cost(more, name), cost(less, name) * (1.0 - 1e-12)) << name << " falls at " << here;
        }
        EXPECT_GT(compared, 5) << parameters[p].name << " was hardly compared";
    }
}

TEST_P(Accounts, some_parameter_is_hardware) {
    EXPECT_TRUE(std::ranges::any_of(inputs_.parameters, [](auto const& p) { return p.resource; }));
}

/// Shipped machine files that state their power.
std::vector<Architecture> machine_files() {
    std::vector<Architecture> all;
    for (auto const* machine : machines_of_files()) {
        auto const table = machine->metrics();
        if (table[static_cast<std::size_t>(models::find_metric(table, "energy"))].absent.empty())
            all.push_back(*machine);
    }
    return all;
}

TEST(Names, of_two_machines_have_one_unit_and_one_direction) {
    std::map<std::string, std::pair<models::Metric, std::string_view>> known;
    for (auto const& architecture : models::catalogue()) {
        for (auto const& metric : architecture.metrics()) {
            auto const [at, is_new] = known.try_emplace(metric.name, metric, architecture.name);
            auto const& [other, of] = at->second;
            EXPECT_EQ(metric.unit, other.unit) << metric.name << " of " << architecture.name << " and " << of;
            EXPECT_EQ(metric.better, other.better) << metric.name << " of " << architecture.name << " and " << of;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Accounts, ::testing::ValuesIn(models::catalogue()),
                         [](auto const& param) { return std::string(param.param.name); });
INSTANTIATE_TEST_SUITE_P(MachineFiles, Accounts, ::testing::ValuesIn(machine_files()),
                         [](auto const& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace pimdse::laws::accounts_test
