#include "models/pair/pair.hpp"

#include "models/chips/group.hpp"
#include "models/chips/links.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/contract/parameter_table.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/contract/service_engine.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pimdse::models::pair {
namespace {

/// Parameters that both machines of a pair have in common, first in the table of the pair.
constexpr std::array<std::string_view, 4> shared_names{"llm", "input", "output", "batch"};

/// Which machines keep beginnings of prompts (scheduler.prefix_cache).
enum class PrefixPlace : std::uint8_t { prefill, both };
struct PairSettings {
    std::int64_t prefill_machines = 1, decode_machines = 1;
    std::size_t link = 0;    ///< kind of link (models/chips/links.hpp)
    double bandwidth = 0.0;  ///< B/s; 0: of the link
    double latency = 0.0;    ///< s; 0: of the link
    PrefixPlace prefixes{};
};

constexpr double max_machines = 1024;
constexpr double max_bandwidth = 1'000'000'000'000'000'000;  // B/s
constexpr std::string_view usual_link = "eth400";

ParameterTable<PairSettings> const& table() {
    static auto const made = [] {
        ParameterTable<PairSettings> rows;
        rows.row<&PairSettings::prefill_machines>(resource(
            count("prefill_machines", "1", 1, {1, max_machines}, "machines that compute prompts, each with a queue")));
        rows.row<&PairSettings::decode_machines>(
            resource(count("decode_machines", "1", 1, {1, max_machines}, "machines that decode, each with a queue")));
        rows.row<&PairSettings::link>(
            choice("link", {chips::link_names.begin(), chips::link_names.end()}, usual_link,
                   "moves keys and values from a machine that computes prompts to one that decodes (docs/models.md)"));
        rows.row<&PairSettings::bandwidth>(quantity("link_bandwidth", "GB/s", 0.0, {0.0, max_bandwidth},
                                                    "bandwidth of the link; 0: that of its kind"));
        rows.row<&PairSettings::latency>(
            quantity("link_latency", "us", 0.0, {0.0, 1.0}, "latency of the link; 0: that of its kind"));
        rows.row<&PairSettings::prefixes>(choice("prefixes", {"prefill", "both"},
                                                 "which machines keep what scheduler.prefix_cache keeps; both: those "
                                                 "that decode have the links, and read what they miss of a prompt"));
        return rows;
    }();
    return made;
}

std::size_t shared_place(std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(shared_names, name) - shared_names.begin());
}

/// One of the two machines, and the positions of its parameters in the table of the pair.
class Half {
  public:
    /// `prefix`: "prefill." or "decode."; its own parameters begin at `first` in the table of the pair.
    /// Precondition: the architecture serves models (it has shared_names).
    Half(Architecture const& architecture, std::string prefix, std::size_t first)
        : architecture_(&architecture), prefix_(std::move(prefix)), table_(architecture.parameters()) {
        for (auto const& parameter : table_)
            places_.push_back(shared_place(parameter.name) < shared_names.size() ? shared_place(parameter.name)
                                                                                 : first++);
        for (auto const name : shared_names)
            sim::expects(find_parameter(table_, name) >= 0, "a machine of a pair serves models");
    }

    [[nodiscard]] Architecture const& architecture() const { return *architecture_; }
    [[nodiscard]] std::string const& prefix() const { return prefix_; }
    /// Its parameters that are not shared, with the prefix.
    [[nodiscard]] Parameters rows() const {
        Parameters rows;
        for (auto row : table_) {
            if (shared_place(row.name) < shared_names.size()) continue;
            row.name = prefix_ + row.name;
            for (auto& alias : row.aliases) alias = prefix_ + alias;
            rows.push_back(std::move(row));
        }
        return rows;
    }
    /// Its own table, with the choices that the table of the pair has.
    [[nodiscard]] Parameters own_table(Parameters const& pair) const {
        auto own = table_;
        for (std::size_t i = 0; i < own.size(); ++i) {
            auto const& row = pair[place(i)];
            if (place(i) >= shared_names.size()) {
                own[i].choices = row.choices;
                own[i].default_value = row.default_value;
                continue;
            }
            if (!own[i].accepts) continue;
            for (auto const& choice : row.choices)
                if (names_own_file(choice)) (void)read_value(own[i], choice);
        }
        return own;
    }
    /// Its point; Infeasible if it does not know the model.
    [[nodiscard]] std::variant<std::vector<Value>, Infeasible> own_point(Inputs const& own, Parameters const& pair,
                                                                         Point point) const {
        std::vector<Value> values;
        for (std::size_t i = 0; i < table_.size(); ++i) {
            auto value = point[place(i)];
            if (place(i) < shared_names.size() && value.kind() == Kind::choice) {
                auto const& name = pair[place(i)].choices[value.as_choice()];
                auto const& known = own.parameters[i].choices;
                auto const found = std::ranges::find(known, name);
                if (found == known.end()) return infeasible("pair", "{} does not serve {}", architecture_->name, name);
                value = Value::choice(static_cast<std::size_t>(found - known.begin()));
            }
            values.push_back(value);
        }
        return values;
    }
    /// The finest fidelity that it has, up to this one.
    [[nodiscard]] Fidelity up_to(Fidelity fidelity) const {
        auto best = architecture_->fidelities.front();
        for (auto const has : architecture_->fidelities)
            if (has <= fidelity) best = has;
        return best;
    }

  private:
    [[nodiscard]] std::size_t place(std::size_t own_parameter) const { return places_[own_parameter]; }

    Architecture const* architecture_;
    std::string prefix_;
    Parameters table_;
    std::vector<std::size_t> places_;  ///< in the table of the pair, by position in the own table
};

Account stronger(Account a, Account b) {
    if (a == Account::assumed || b == Account::assumed) return Account::assumed;
    return a == Account::counted || b == Account::counted ? Account::counted : Account::none;
}

void join(std::vector<LedgerEntry>& to, std::vector<LedgerEntry> const& other, std::vector<std::string>& texts) {
    for (auto& entry : to) {
        auto const same = std::ranges::find(other, entry.row, &LedgerEntry::row);
        if (same == other.end() || same->why == entry.why) continue;
        texts.push_back(fmt::format("prefill: {}; decode: {}", entry.why, same->why));
        entry = {entry.row, stronger(entry.account, same->account), texts.back()};
    }
}

/// A ledger row of the pair: counted if either machine counts it; its own link is one of the links. Texts live as long
/// as `texts`.
Ledger joined(Ledger const& prefill, Ledger const& decode, std::vector<std::string>& texts) {
    texts.reserve(energy_rows.size() + area_rows.size() + 1);  // entries refer to them
    auto all = prefill;
    join(all.energy, decode.energy, texts);
    join(all.area, decode.area, texts);
    constexpr std::string_view row = "links";
    auto links = std::ranges::find(all.energy, row, &LedgerEntry::row);
    sim::expects(links != all.energy.end(), "several of any machine have links");
    texts.push_back(
        fmt::format("between the machines of the pair: links.toml, energy of a bit of the keys and values "
                    "that move, and ports at rest; in each of them: {}",
                    links->why));
    *links = {row, Account::assumed, texts.back()};
    return all;
}

/// Inputs of both machines.
struct Prepared {
    Inputs prefill, decode;
};

/// The points of both machines.
struct Points {
    std::vector<Value> prefill, decode;
};

struct Pair {
    std::string name, summary;
    Half prefill, decode;
    std::vector<std::string> texts;  ///< of the ledger
    Ledger ledger;
    Workload workload;

    Pair(Architecture const& of_prompts, Architecture const& of_tokens)
        : name(fmt::format("pair:{}:{}", of_prompts.name, of_tokens.name)),
          summary(fmt::format("{} computes prompts, {} decodes", of_prompts.name, of_tokens.name)),
          prefill(of_prompts, "prefill.", shared_names.size()),
          decode(of_tokens, "decode.", shared_names.size() + prefill.rows().size()),
          ledger(joined(of_prompts.ledger(), of_tokens.ledger(), texts)) {
        for (auto const* half : {&prefill, &decode})
            for (auto const& [parameter, value] : half->architecture().workload.implied)
                workload.implied.emplace_back(half->prefix() + parameter, value);
    }

    [[nodiscard]] Parameters parameters() const {
        Parameters all;
        auto const own = prefill.architecture().parameters();
        for (auto const one : shared_names) all.push_back(own[static_cast<std::size_t>(find_parameter(own, one))]);
        for (auto const* half : {&prefill, &decode}) {
            auto const rows = half->rows();
            all.insert(all.end(), rows.begin(), rows.end());
        }
        auto const rows = table().parameters();
        all.insert(all.end(), rows.begin(), rows.end());
        return all;
    }

    [[nodiscard]] std::shared_ptr<void const> prepare(Parameters const& table, ModelOptions const& options) const {
        if (!options.constants.empty())
            throw sim::InputError("a pair has no file of constants of its own: constants belong to one machine");
        auto const of = [&](Half const& half) {
            return models::prepare(half.architecture(), half.own_table(table), options_of(half, options));
        };
        return std::make_shared<Prepared const>(Prepared{of(prefill), of(decode)});
    }

    /// A draw names constants of one machine "umdam/chip_power", and others as for a machine.
    [[nodiscard]] static ModelOptions options_of(Half const& half, ModelOptions const& options) {
        auto own = options;
        own.drawn.clear();
        auto const prefix = std::string(half.architecture().name) + "/";
        for (auto const& [constant, si] : options.drawn) {
            if (constant.starts_with(prefix))
                own.drawn[constant.substr(prefix.size())] = si;
            else if (constant.find('/') == std::string::npos)
                own.drawn[constant] = si;
        }
        return own;
    }

    [[nodiscard]] std::variant<Points, Infeasible> points(Inputs const& inputs, Point point) const {
        auto const& prepared = inputs.as<Prepared>();
        auto of_prompts = prefill.own_point(prepared.prefill, inputs.parameters, point);
        if (auto* rule = std::get_if<Infeasible>(&of_prompts)) return std::move(*rule);
        auto of_tokens = decode.own_point(prepared.decode, inputs.parameters, point);
        if (auto* rule = std::get_if<Infeasible>(&of_tokens)) return std::move(*rule);
        return Points{std::get<std::vector<Value>>(std::move(of_prompts)),
                      std::get<std::vector<Value>>(std::move(of_tokens))};
    }

    [[nodiscard]] PairSettings settings(Point point) const {
        auto const first = shared_names.size() + prefill.rows().size() + decode.rows().size();
        return table().read(point.subspan(first, table().parameters().size()));
    }
};

Infeasible in(Half const& half, Infeasible rule) {
    return {std::move(rule.rule),
            fmt::format("{}: {}", half.prefix().substr(0, half.prefix().size() - 1), rule.reason)};
}

/// What so many machines have of which a pair consists, without the links between them.
RequestResult joined(RequestResult const& prefill, RequestResult const& decode, PairSettings const& settings) {
    auto all = prefill.machines(static_cast<double>(settings.prefill_machines));
    auto const others = decode.machines(static_cast<double>(settings.decode_machines));
    for (auto const member : RequestResult::of_machine) all.*member += others.*member;
    all.precision = smaller(all.precision, others.precision);
    return all;
}

/// Those of services. Power is known of both machines, or of neither.
MetricList metrics(Architecture const& prefill, Architecture const& decode) {
    auto service = RequestResult::known_machine();
    service.peak_power = service.cost_per_million_tokens = 1.0;
    MetricList list;
    for (auto const& common : common_metrics)
        if (applies(common.of(service))) list.push_back(common_metric(common.name, "both machines together"));
    for (auto const* half : {&prefill, &decode}) {
        auto const own = half->metrics();
        int const energy = find_metric(own, "energy");
        if (energy < 0 || own[static_cast<std::size_t>(energy)].absent.empty()) continue;
        leave_out_power(list, fmt::format("{} ({})", own[static_cast<std::size_t>(energy)].absent, half->name));
    }
    return list;
}

/// Outcome or breakdown of both machines, each as a machine that serves the request alone.
template <class Result, class Evaluate>
std::variant<std::pair<Result, Result>, Infeasible> of_both(Pair const& pair, Inputs const& inputs, Point point,
                                                            Fidelity fidelity, Evaluate const& evaluate) {
    auto const points = pair.points(inputs, point);
    if (auto const* rule = std::get_if<Infeasible>(&points)) return *rule;
    auto const& prepared = inputs.as<Prepared>();
    auto const& at = std::get<Points>(points);
    auto prefill = evaluate(pair.prefill, prepared.prefill, at.prefill, pair.prefill.up_to(fidelity));
    if (auto* rule = std::get_if<Infeasible>(&prefill)) return in(pair.prefill, std::move(*rule));
    auto decode = evaluate(pair.decode, prepared.decode, at.decode, pair.decode.up_to(fidelity));
    if (auto* rule = std::get_if<Infeasible>(&decode)) return in(pair.decode, std::move(*rule));
    return std::pair{std::get<Result>(std::move(prefill)), std::get<Result>(std::move(decode))};
}

chips::ChipLink link_of(Inputs const& inputs, PairSettings const& settings) {
    auto link = chips::known_link(inputs, settings.link);
    if (settings.bandwidth > 0.0) link.set_bandwidth(settings.bandwidth);
    if (settings.latency > 0.0) link.set_latency(settings.latency);
    return link;
}

std::variant<RequestResult, Infeasible> request(Pair const& pair, Inputs const& inputs, Point point, Fidelity fidelity,
                                                Breakdown* breakdown) {
    std::vector<Breakdown> of_machines;
    auto const both = of_both<RequestResult>(
        pair, inputs, point, fidelity, [&](Half const& half, Inputs const& own, Point at, Fidelity has) {
            return half.architecture().request(own, at, has,
                                               breakdown == nullptr ? nullptr : &of_machines.emplace_back());
        });
    if (auto const* rule = std::get_if<Infeasible>(&both)) return *rule;
    auto const& [prefill, decode] = std::get<std::pair<RequestResult, RequestResult>>(both);
    auto const settings = pair.settings(point);
    auto const add = [&](Half const& half, Breakdown const& of, std::int64_t machines) {
        for (auto const& share : of.area)
            breakdown->area.push_back({fmt::format("{}, {}{}", share.what, half.prefix(), half.architecture().name),
                                       static_cast<double>(machines) * share.amount});
    };
    if (breakdown != nullptr) {
        add(pair.prefill, of_machines.front(), settings.prefill_machines);
        add(pair.decode, of_machines.back(), settings.decode_machines);
    }
    auto all = joined(prefill, decode, settings);
    auto const link = link_of(inputs, settings);
    auto const links = static_cast<double>(settings.prefill_machines + settings.decode_machines);
    all.idle_power += Estimate(links * link.standby.si);
    all.cost += Estimate(links * link.cost);
    all.embodied_carbon += Estimate(links * link.carbon);
    return all;
}

/// Its link stands by, whatever the engine does.
void add_standby(ServiceEngine& engine, double watts) {
    engine.idle_power += watts;
    engine.waiting_power += watts;
    using sim::serving::StepCost, sim::serving::StepWork;
    auto const add = [watts](StepCost& cost) { cost.joules += watts * cost.seconds; };
    if (engine.law.many)
        engine.law.many = [add, many = std::move(engine.law.many)](StepWork const& first, std::span<StepCost> costs) {
            many(first, costs);
            std::ranges::for_each(costs, add);
        };
    engine.law.one = [add, one = std::move(engine.law.one)](StepWork const& work) {
        auto cost = one(work);
        add(cost);
        return cost;
    };
}

std::variant<ServiceEngine, Infeasible> engine(Pair const& pair, Inputs const& inputs, Point point, Fidelity fidelity) {
    auto both = of_both<ServiceEngine>(
        pair, inputs, point, fidelity,
        [](Half const& half, Inputs const& own, Point at, Fidelity has) -> std::variant<ServiceEngine, Infeasible> {
            if (!half.architecture().engine)
                return infeasible("traffic", "the steps of {} are not modelled", half.architecture().name);
            return half.architecture().engine(own, at, has);
        });
    if (auto const* rule = std::get_if<Infeasible>(&both)) return *rule;
    auto& [prefill, decode] = std::get<std::pair<ServiceEngine, ServiceEngine>>(both);
    if (prefill.tokens_per_step > 1 || decode.tokens_per_step > 1)
        return Infeasible{"pair", "sequences that denoise blocks are not handed over"};
    auto const settings = pair.settings(point);
    prefill.copies *= settings.prefill_machines;
    decode.copies *= settings.decode_machines;
    auto const link = link_of(inputs, settings);
    for (auto* const of : {&prefill, &decode}) add_standby(*of, link.standby.si);
    auto const bytes = [from = prefill](std::int64_t positions) {
        return kept_positions(from, positions) * from.moved.position_bytes + from.moved.state_bytes;
    };
    Handover handover;
    handover.to = std::make_shared<ServiceEngine const>(std::move(decode));
    handover.seconds = [link, bytes](std::int64_t positions) {
        return exchange(link, chips::Collective::send, 2, bytes(positions)).seconds;
    };
    handover.joules = [link, bytes](std::int64_t positions) { return link.energy.si * bytes(positions); };
    handover.to_keeps_prefixes = settings.prefixes == PrefixPlace::both;
    prefill.handover = std::move(handover);
    return std::move(prefill);
}

std::vector<Fidelity> fidelities_of(Architecture const& a, Architecture const& b) {
    std::set<Fidelity> all(a.fidelities.begin(), a.fidelities.end());
    all.insert(b.fidelities.begin(), b.fidelities.end());
    return {all.begin(), all.end()};
}

}  // namespace

Architecture architecture(Architecture const& prefill, Architecture const& decode) {
    auto const pair = std::make_shared<Pair const>(prefill, decode);
    Architecture all;
    all.name = pair->name;
    all.summary = pair->summary;
    all.results_version = 3;
    all.fidelities = fidelities_of(prefill, decode);
    all.parameters = [pair] { return pair->parameters(); };
    all.metrics = [list = metrics(prefill, decode)] { return list; };
    all.prepare = [pair](Parameters const& table, ModelOptions const& options) {
        return pair->prepare(table, options);
    };
    all.request = [pair](Inputs const& inputs, Point point, Fidelity fidelity, Breakdown* breakdown) {
        return request(*pair, inputs, point, fidelity, breakdown);
    };
    all.engine = [pair](Inputs const& inputs, Point point, Fidelity fidelity) {
        return engine(*pair, inputs, point, fidelity);
    };
    all.workload = pair->workload;
    all.ledger = [pair] { return pair->ledger; };
    all.prepare_group = chips::prepare_group;
    all.parts = {&prefill, &decode};
    return answering(std::move(all));
}

}  // namespace pimdse::models::pair
