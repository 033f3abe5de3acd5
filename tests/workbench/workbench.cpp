#include "workbench.hpp"

#include "sim/base/random.hpp"

#include <unistd.h>
#include <chrono>
#include <cmath>
#include <csignal>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

namespace pimdse::workbench {
namespace {

using models::Kind;
using models::Value;

enum Index : std::size_t { x, y, cost, spread, work, trouble, trouble_at, loose, alike, lie_at };
enum class Work : std::size_t { sleep, spin };
enum class Trouble : std::size_t {
    none,
    exception,
    not_a_number,
    infeasible,
    crash,
    kill,
    exit,
    hang,
    slow,
    memory,
    thread
};

void add_what_searches_meet(models::Parameters& table) {
    table[loose] = {.name = "loose",
                    .unit = "",
                    .default_value = Value::integer(0),
                    .meaning = "by how many percent at most proved lower bounds are below the result",
                    .lower = 0,
                    .upper = 100};
    table[alike] = {.name = "alike",
                    .unit = "",
                    .default_value = Value::integer(1),
                    .meaning = "number of consecutive points along x that have equal results",
                    .lower = 1,
                    .upper = 1e12};
    table[lie_at] = {.name = "lie_at",
                     .unit = "",
                     .default_value = Value::integer(-1),
                     .meaning = "the proved lower bound of the latency of the point with this x is above its result",
                     .lower = -1,
                     .upper = 1e12};
}

models::Parameters parameters() {
    models::Parameters table(10);
    table[x] = {.name = "x",
                .unit = "",
                .default_value = Value::integer(0),
                .meaning = "decides the result",
                .lower = 0,
                .upper = 1e12};
    table[y] = {.name = "y",
                .unit = "",
                .default_value = Value::integer(0),
                .meaning = "decides the result",
                .lower = 0,
                .upper = 1e12};
    table[cost] = {.name = "cost",
                   .kind = Kind::quantity,
                   .unit = "s",
                   .default_value = Value::quantity(0.0),
                   .meaning = "how long an evaluation takes",
                   .lower = 0,
                   .upper = 1e6};
    table[spread] = {.name = "spread",
                     .unit = "",
                     .default_value = Value::integer(1),
                     .meaning = "points cost up to this many times as much",
                     .lower = 1,
                     .upper = 1e6};
    table[work] = {.name = "work",
                   .kind = Kind::choice,
                   .unit = "",
                   .default_value = Value::choice(0),
                   .meaning = "how the time passes",
                   .choices = {"sleep", "spin"}};
    table[trouble] = {.name = "trouble",
                      .kind = Kind::choice,
                      .unit = "",
                      .default_value = Value::choice(0),
                      .meaning = "what the point with x = trouble_at does",
                      .choices = {"none", "exception", "not_a_number", "infeasible", "crash", "kill", "exit", "hang",
                                  "slow", "memory", "thread"}};
    table[trouble_at] = {.name = "trouble_at",
                         .unit = "",
                         .default_value = Value::integer(0),
                         .meaning = "where trouble is",
                         .lower = 0,
                         .upper = 1e12};
    add_what_searches_meet(table);
    return table;
}

models::MetricList metrics() {
    return {{"latency", "s", "falls as energy rises, but for noise", models::Sense::minimize, false},
            {"energy", "J", "rises as latency falls, but for noise", models::Sense::minimize, false},
            {"power", "W", "energy over latency", models::Sense::minimize, false}};
}

void pass_time(models::Point point, std::uint64_t key) {
    double const factor = std::pow(static_cast<double>(point[spread].as_integer()), sim::mixed_fraction(key + 17));
    std::chrono::duration<double> const time(point[cost].as_quantity() * factor);
    if (time.count() <= 0.0) return;
    if (static_cast<Work>(point[work].as_choice()) == Work::sleep) {
        std::this_thread::sleep_for(time);
        return;
    }
    auto const end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
    }
}

/// Nothing, or what goes wrong.
models::Outcome troubled(Trouble kind, models::Metrics metrics) {
    switch (kind) {
        case Trouble::none:
            break;
        case Trouble::exception:
            throw std::runtime_error("the workbench was asked to fail");
        case Trouble::not_a_number:
            metrics[0] = models::Estimate::exact(std::numeric_limits<double>::quiet_NaN());
            break;
        case Trouble::infeasible:
            return models::Infeasible{"workbench", "was asked not to exist"};
        case Trouble::crash:
            std::raise(SIGSEGV);
            break;
        case Trouble::kill:
            std::raise(SIGKILL);
            break;
        case Trouble::exit:
            ::_exit(17);
        case Trouble::hang:
            while (true) ::pause();
        case Trouble::slow:
            std::this_thread::sleep_for(std::chrono::seconds(2));
            break;
        case Trouble::memory:
            std::vector<char>().reserve(std::size_t{1} << 30);  // succeeds where there is no limit
            break;
        case Trouble::thread:
            std::thread([] {}).join();
            break;
    }
    return metrics;
}

bool is_at(models::Point point, Index where) { return point[x].as_integer() == point[where].as_integer(); }

/// A result of this value, at analytic level a proved interval around it.
models::Estimate around(double truth, models::Point point, models::Fidelity fidelity, std::uint64_t number) {
    double const share = 0.01 * static_cast<double>(point[loose].as_integer()) * sim::mixed_fraction(number);
    if (fidelity == models::Fidelity::cycle || share == 0.0) return models::Estimate::exact(truth);
    double const lower = truth * (1.0 - share);
    return models::Estimate::within(0.5 * (lower + truth), lower, truth * (1.0 + share), models::Bound::proved);
}

std::uint64_t number_of(models::Point point) {
    return static_cast<std::uint64_t>(point[x].as_integer() / point[alike].as_integer()) * 0x9E3779B97F4A7C15ULL +
           static_cast<std::uint64_t>(point[y].as_integer());
}

models::CycleKey cycle_key(models::Inputs const&, models::Point point) {
    models::CycleKeyMaker key;
    bool const troubled = is_at(point, trouble_at);
    return key.add(number_of(point)).add(troubled ? point[trouble].as_choice() : 0).key();
}

models::Outcome evaluate(models::Inputs const&, models::Point point, models::Fidelity fidelity) {
    auto const number = number_of(point);
    pass_time(point, number);
    double const latency = 1e-3 + sim::mixed_fraction(number);
    double const energy = 1.0 / latency + 20.0 * sim::mixed_fraction(number + 1);
    models::Metrics metrics{around(latency, point, fidelity, number + 2), around(energy, point, fidelity, number + 3),
                            around(energy / latency, point, fidelity, number + 4)};
    if (is_at(point, lie_at) && fidelity != models::Fidelity::cycle)
        metrics[0] = models::Estimate::exact(1.01 * latency);
    bool const here = is_at(point, trouble_at);
    return troubled(here ? static_cast<Trouble>(point[trouble].as_choice()) : Trouble::none, metrics);
}

std::shared_ptr<void const> prepare(models::Parameters const&, models::ModelOptions const&) { return nullptr; }

models::Explained explain(models::Inputs const& inputs, models::Point point, models::Fidelity fidelity) {
    return {{}, evaluate(inputs, point, fidelity)};
}

}  // namespace

models::Architecture architecture() {
    return {.name = "workbench",
            .summary = "points of any cost and with any trouble, for tests of the runtime",
            .fidelities = {models::Fidelity::analytic, models::Fidelity::cycle},
            .parameters = &parameters,
            .metrics = &metrics,
            .prepare = &prepare,
            .evaluate = &evaluate,
            .explain = &explain,
            .proofs = {.cycle_key = &cycle_key}};
}

}  // namespace pimdse::workbench
