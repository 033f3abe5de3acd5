#include "drawn_machines.hpp"
#include "models/contract/service_engine.hpp"
#include "models/llm/request_passes.hpp"
#include "models/text/text.hpp"
#include "sim/serving/scheduler.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>

/// Times of random machine files against a slow reading of their rules, and steps of their engines against batches.
namespace pimdse::laws::text_machine_costs_test {
namespace {

using models::Metrics;
namespace text = models::text;

/// The rule that names an operator most exactly: its whole name, then a family of names, then anything; at equal
/// length, the one that names the phase; at equal exactness, the first.
DrawnRule const& rule_of(std::vector<DrawnRule> const& rules, std::string_view phase, std::string_view op) {
    DrawnRule const* best = nullptr;
    int best_exactness = -1;
    for (auto const& rule : rules) {
        std::string pattern = rule.pattern, of_phase;
        for (std::string const known : {"prefill.", "decode.", "*."})
            if (pattern.starts_with(known)) {
                of_phase = known.substr(0, known.size() - 1);
                pattern = pattern.substr(known.size());
                break;
            }
        bool const names_phase = of_phase == phase;
        if (!names_phase && !of_phase.empty() && of_phase != "*") continue;
        bool const family = op.starts_with(pattern + ".");
        if (pattern != "*" && pattern != op && !family) continue;
        int const letters = pattern == "*" ? 0 : static_cast<int>(pattern.size());
        int const exactness = 2 * letters + (names_phase ? 1 : 0);
        if (exactness > best_exactness) {
            best = &rule;
            best_exactness = exactness;
        }
    }
    return *best;
}

/// What components need for one operator, or for several that run together.
struct Needs {
    std::map<std::string, double> seconds;                   ///< of units
    std::map<std::string, std::pair<double, double>> bytes;  ///< of memories, read and written
    double waiting = 0.0;
    double handed = 0.0, kernels = 0.0;  ///< B of activations that the kernel before has written; number of kernels
    void add(Needs const& other) {
        for (auto const& [component, time] : other.seconds) seconds[component] += time;
        for (auto const& [memory, moved] : other.bytes) {
            bytes[memory].first += moved.first;
            bytes[memory].second += moved.second;
        }
        waiting += other.waiting;
        handed += other.handed;
        kernels += other.kernels;
    }
};

/// The longest of each set of components that are joined by overlaps, and all sets one after the other.
double time_of(Needs const& needs, std::vector<std::vector<std::string>> const& overlap) {
    std::map<std::string, std::set<std::string>> beside;
    for (auto const& [component, time] : needs.seconds) beside[component].insert(component);
    for (auto const& set : overlap)
        for (auto const& a : set)
            for (auto const& b : set) beside[a].insert(b);
    for (std::size_t rounds = 0; rounds < 8; ++rounds)
        for (auto& [component, others] : beside)
            for (auto const& other : std::set<std::string>(others))
                others.insert(beside[other].begin(), beside[other].end());
    std::set<std::string> done;
    double sum = needs.waiting;
    for (auto const& [component, time] : needs.seconds) {
        if (done.contains(component)) continue;
        double longest = 0.0;
        for (auto const& other : beside[component]) {
            done.insert(other);
            if (auto const found = needs.seconds.find(other); found != needs.seconds.end())
                longest = std::max(longest, found->second);
        }
        sum += longest;
    }
    return sum;
}

/// A pass, operator by operator, with the figures of the machine.
class SlowPass {
  public:
    SlowPass(DrawnMachine const& machine, text::Design const& design, text::Phase phase)
        : machine_(machine), design_(design), phase_(phase) {}

    double seconds(models::PassShape const& shape) {
        auto const& r = design_.request;
        auto const take = [&](text::Operator op, text::OperatorWork const& work) { add(op, work); };
        for (auto const& layers : text::layer_work(r)) {
            text::layer_operators(layers, r, r.sequences() * shape.queries, take);
            text::attention_operators(layers, models::summed(*layers.alike, shape, r.sequences()), take);
        }
        text::head_operators({r.sequences() * shape.queries, r.sequences() * shape.heads, r.sequences()}, r,
                             design_.logit_bytes(), take);
        double sum = alone_;
        for (auto const& [pattern, needs] : together_) sum += time(needs);
        for (auto const& [pattern, both] : chosen_) sum += std::min(both.seconds(*this, 0), both.seconds(*this, 1));
        return sum;
    }

  private:
    /// What each of two units would need, of which the pass takes one.
    struct Choice {
        std::array<double, 2> alone{};
        std::array<Needs, 2> together;
        [[nodiscard]] double seconds(SlowPass const& pass, std::size_t unit) const {
            return alone.at(unit) + pass.time(together.at(unit));
        }
    };

    [[nodiscard]] double time(Needs const& needs) const {
        return time_of(in_seconds(needs), machine_.written().overlap());
    }

    /// Rules count once for each unit that they name.
    double number(DrawnRule const& rule, char const* key, std::size_t unit = 0) const {
        std::size_t at = unit;
        for (auto const& before : machine_.written().rules()) {
            if (before.pattern == rule.pattern) break;
            at += before.other.empty() && before.then.empty() ? 1 : 2;
        }
        auto const& numbers = machine_.prepared().machine().numbers();
        return design_.hardware.numbers[numbers.at(fmt::format("run.{}.{}", at, key))];
    }

    /// The ports of a memory work at the same time, if there are two.
    [[nodiscard]] Needs in_seconds(Needs needs) const {
        auto const& file = machine_.prepared().machine().file();
        auto const& memories = file.memories;
        double moved_past_cache = needs.handed;
        if (auto const cache = file.hold.find("repeated"); cache != file.hold.end()) {
            auto const at = std::ranges::find(memories, cache->second, &text::Component::name) - memories.begin();
            double const room = design_.hardware.memories[static_cast<std::size_t>(at)].capacity * needs.kernels;
            needs.bytes[cache->second].first += std::min(needs.handed, room);
            moved_past_cache -= std::min(needs.handed, room);
        }
        needs.bytes[file.hold.at("kv")].first += moved_past_cache;
        for (auto const& [memory, moved] : needs.bytes) {
            auto const at = static_cast<std::size_t>(std::ranges::find(memories, memory, &text::Component::name) -
                                                     memories.begin());
            auto const& m = design_.hardware.memories[at];
            double const seconds = m.write_attained > 0.0
                                       ? std::max(moved.first / m.attained, moved.second / m.write_attained)
                                       : (moved.first + moved.second) / m.attained;
            if (seconds > 0.0) needs.seconds[memory] = seconds;
        }
        return needs;
    }

    void add(text::Operator op, text::OperatorWork const& work) {
        auto const name = text::operator_names[static_cast<std::size_t>(op)];
        auto const& rule =
            rule_of(machine_.written().rules(), text::phase_names[static_cast<std::size_t>(phase_)], name);
        if (rule.free) return;
        if (rule.on == "sampler") {
            auto const& part = *design_.hardware.units[machine_.prepared().machine().units().size() - 1].part;
            alone_ += part.cost(op, work, design_.request).seconds.value + number(rule, "wait") * work.executions;
            return;
        }
        if (!rule.other.empty()) {
            auto& both = chosen_[rule.pattern];
            for (std::size_t unit = 0; unit < 2; ++unit) {
                auto const& on = unit == 0 ? rule.on : rule.other;
                auto const needs = needs_of(rule, on, work);
                if (on == "banks" && !work.for_banks)
                    both.alone.at(unit) = std::numeric_limits<double>::infinity();
                else if (rule.together)
                    both.together.at(unit).add(needs);
                else
                    both.alone.at(unit) += time(needs);
            }
        } else if (auto needs = needs_of(rule, rule.on, work); rule.together) {
            together_[rule.beside.empty() ? rule.pattern : rule.beside].add(needs);
        } else {
            alone_ += time(needs);
            if (!rule.then.empty()) alone_ += time(needs_of(rule, rule.then, work, 1));
        }
    }

    /// Rows that an array fills: products have whole rows, of which some have one more than the others.
    static double filled(double rows, double tile) {
        if (tile <= 1.0) return rows;
        double const fewer = std::floor(std::max(1.0, rows)), share = std::max(1.0, rows) - fewer;
        return (1.0 - share) * std::ceil(fewer / tile) * tile + share * std::ceil((fewer + 1.0) / tile) * tile;
    }

    /// Seconds of a unit for an operator.
    [[nodiscard]] static double seconds_of(text::UnitFigures const& unit, text::OperatorWork const& work, double masked,
                                           double operations) {
        if (work.operations == 0.0) return operations / unit.attained;
        if (unit.rows > 0.0) {
            double const tiles = std::ceil(work.inputs / unit.rows) * std::ceil(work.outputs / unit.columns);
            double const steps = work.executions * tiles * (filled(work.rows, unit.tile) + unit.fill) / unit.count;
            return std::max(operations, 2.0 * unit.rows * unit.columns * unit.count * steps) / unit.attained;
        }
        // Queries of heads that share keys are rows of one tile; a head with keys of its own and a state have none.
        auto const sharing =
            static_cast<double>(work.for_banks && work.kv_heads > 0 ? work.heads / work.kv_heads : work.heads);
        double const together = work.rows * std::max(1.0, sharing);
        bool const fills = work.rows > 0.0 && (work.weight_bytes > 0.0 || sharing > 1.0);
        double const rows = fills ? std::ceil(together / unit.tile) * unit.tile / together : 1.0;
        return work.operations * masked * (unit.tile > 1.0 ? rows : 1.0) / unit.attained;
    }

    Needs needs_of(DrawnRule const& rule, std::string const& on, text::OperatorWork const& work,
                   std::size_t at = 0) const {
        Needs needs;
        double const tasks = number(rule, "task", at) * work.tasks;
        needs.waiting = number(rule, "wait", at) * work.executions + number(rule, "kernel", at) * work.kernels;
        needs.kernels = work.kernels;
        needs.handed = number(rule, "moves", at) * (work.operations > 0.0 ? work.taken + work.made : work.elements);
        if (on.empty()) needs.waiting += tasks;
        if (!on.empty()) {
            auto const& file = machine_.prepared().machine().file();
            auto const& unit = design_.hardware.units[static_cast<std::size_t>(
                std::ranges::find(file.units, on, &text::Component::name) - file.units.begin())];
            if (unit.bank != nullptr && work.operations > 0.0) {
                needs.seconds[on] =
                    unit.bank->cost(work, design_.request, unit, models::Fidelity::analytic).seconds.value;
                needs.waiting += tasks;
                return needs;
            }
            double const masked = rule.masked && at == 0 ? work.masked : 1.0;
            double const operations = masked * (work.operations + work.elements * number(rule, "work", at));
            if (operations > 0.0) needs.seconds[on] = seconds_of(unit, work, masked, operations);
            if (tasks > 0.0) needs.seconds[on] += tasks;  // they occupy it beside the memories
            double const again = number(rule, "reads", at),
                         tokens = rule.per_token && at == 0 ? std::max(1.0, work.rows) : 1.0;
            auto& bytes = needs.bytes;
            bytes[file.hold.at("weights")].first += again * (tokens * work.weight_bytes + work.logit_bytes);
            bytes[file.hold.at("kv")].first += again * work.cache_read;
            bytes[file.hold.at("kv")].second += work.cache_written;
            auto const home = file.hold.find("activations");
            if (home != file.hold.end() && operations > 0.0) {
                bytes[home->second].first += masked * work.taken * design_.request.weight_bytes;
                bytes[home->second].second += masked * work.made * design_.request.weight_bytes;
            }
        }
        return needs;
    }

    DrawnMachine const& machine_;
    text::Design const& design_;
    text::Phase phase_;
    std::map<std::string, Needs> together_;
    std::map<std::string, Choice> chosen_;
    double alone_ = 0.0;
};

/// Attention that grows in steps is exact at short contexts, and close at longer ones.
bool is_exact(DrawnMachine const& machine, text::LlmRequest const& request) {
    constexpr std::int64_t exact_contexts = 32;  // longer ones that differ by a sixteenth count at their mean
    if (machine.written().has_dpus()) return request.output <= 2;  // all tokens of a request count at their mean
    return !machine.written().has_steps() || request.diffuses() || request.longest_context() <= exact_contexts;
}

/// The prompt, and the mean of tokens at each context.
TEST(TextMachineCosts, are_those_of_a_slow_reading_of_the_rules) {
    LawCount law("times of the rules", "text machines");
    for_machines(4, [&](DrawnMachine const& machine, Values const& point, Metrics const& all, Bits&) {
        auto const design = text::read_design(machine.prepared(), point);
        auto const& r = design.request;
        bool const by_energy = machine.written().chooses_by(true);
        if (machine.written().takes_passes()) return;
        if (r.diffuses() || machine.written().has_power_limit() || machine.written().has_searched_tiles() || by_energy)
            return;
        law.tried();
        double const first = SlowPass(machine, design, text::Phase::prefill).seconds(models::prompt_pass(r));
        double const ttft = machine.metric(all, "ttft").value;
        if (std::abs(first - ttft) > 1e-9 * ttft)
            law.violated(fmt::format("ttft {:.12g} instead of {:.12g}: {}", ttft, first, machine.shown(point)));
        if (r.output < 2 || !is_exact(machine, r)) return;
        double token = 0.0;
        for (auto context = r.input + 1; context < r.input + r.output; ++context) {
            auto const at = static_cast<double>(context);
            models::PassShape const shape{1.0, {at, at}, at, 1.0, true};
            token += SlowPass(machine, design, text::Phase::decode).seconds(shape) / static_cast<double>(r.output - 1);
        }
        double const itl = machine.metric(all, "itl").value;
        if (std::abs(token - itl) > 1e-9 * itl)
            law.violated(fmt::format("itl {:.12g} instead of {:.12g}: {}", itl, token, machine.shown(point)));
    });
    EXPECT_TRUE(law.holds());
}

sim::serving::Schedule served(text::LlmRequest const& r, models::ServiceEngine const& engine) {
    sim::serving::ServiceLoad load;
    load.requests.assign(static_cast<std::size_t>(r.batch), {0.0, r.input, r.output});
    sim::serving::SchedulerSettings settings;
    settings.max_sequences = r.batch;
    settings.max_batched_tokens = 0;
    settings.blocks = r.batch * (r.input + r.output);
    settings.tokens_per_step = engine.tokens_per_step;
    settings.reserves_output = engine.reserves_output;
    return sim::serving::schedule(load, settings, engine.law);
}

/// What the tokens of a request may take more or less if contexts that differ by a sixteenth count at their mean: no
/// more than the step between the first and the last of them, in each.
sim::serving::StepCost max_of_steps(text::LlmRequest const& r, models::ServiceEngine const& engine) {
    auto const at = [&](std::int64_t context) {
        sim::serving::StepWork work;
        work.contexts.assign(static_cast<std::size_t>(r.batch), context);
        work.heads = r.batch;
        return engine.law.one(work);
    };
    sim::serving::StepCost off;
    auto const end = r.input + r.output;
    for (std::int64_t from = r.input + 1, next = 0; from < end; from = next) {
        auto const width =
            std::max<std::int64_t>(1, static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(from)) / 16));
        next = std::min(end, (from / width + 1) * width);
        if (next == from + 1) continue;
        auto const first = at(from), last = at(next - 1);
        off.seconds += static_cast<double>(next - from) * std::abs(last.seconds - first.seconds);
        off.joules += static_cast<double>(next - from) * std::abs(last.joules - first.joules);
    }
    return off;
}

/// Requests that arrive together, with equal lengths, take what evaluate says of that batch.
TEST(TextMachineCosts, of_steps_of_equal_requests_are_those_of_the_batch) {
    LawCount law("requests at once are a batch", "text machines");
    LawCount in_parts("requests at once are nearly a batch where attention grows in steps", "text machines");
    for_machines(5, [&](DrawnMachine const& machine, Values const& point, Metrics const& all, Bits&) {
        auto const found = machine.architecture().engine(machine.inputs(), point, models::Fidelity::analytic);
        auto const* engine = std::get_if<models::ServiceEngine>(&found);
        if (engine == nullptr) return;
        auto const request = text::read_design(machine.prepared(), point).request;
        bool const exact = is_exact(machine, request);
        auto& count = exact ? law : in_parts;
        auto const steps = exact ? sim::serving::StepCost() : max_of_steps(request, *engine);
        count.tried();
        auto const result = served(request, *engine);
        auto const same = [&](char const* metric, double value, double step) {
            double const expected = machine.metric(all, metric).value;
            if (!(std::abs(value - expected) <= std::max(step, (exact ? 1e-9 : 1e-2) * expected)))
                count.violated(fmt::format("{} of the steps is {:.17g}, of the batch {:.17g}: {}", metric, value,
                                           expected, machine.shown(point)));
        };
        same("ttft", result.requests.front().first_token, 0.0);
        same("latency", result.requests.front().last_token, steps.seconds);
        same("energy", result.joules, steps.joules);
    });
    EXPECT_TRUE(law.holds());
    EXPECT_TRUE(in_parts.holds());
}

}  // namespace
}  // namespace pimdse::laws::text_machine_costs_test
