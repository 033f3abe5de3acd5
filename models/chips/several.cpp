#include "models/chips/several.hpp"

#include "models/chips/steps.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/contract/flow_graph.hpp"
#include "models/llm/model_list.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace pimdse::models::chips {
namespace {

std::size_t position_of(Parameters const& parameters, std::string_view name) {
    int const at = find_parameter(parameters, name);
    sim::expects(at >= 0, "an architecture of which several serve a model has llm, batch, input and output");
    return static_cast<std::size_t>(at);
}

/// Number of a choice by its name.
std::size_t choice_of(Parameters const& parameters, int parameter, std::string_view name) {
    if (parameter < 0) return 0;
    auto const& choices = parameters[static_cast<std::size_t>(parameter)].choices;
    return static_cast<std::size_t>(std::ranges::find(choices, name) - choices.begin());
}

Infeasible not_divisible(DeviceGroup const& g, std::int64_t batch) {
    return {"batch", fmt::format("expert_parallel x data_parallel x micro_batches = {} x {} x {} = {} does not divide "
                                 "the {} sequences of the batch",
                                 g.expert, g.data, g.micro_batches, g.batch_parts(), batch)};
}

Infeasible on_each(DeviceGroup const& group, Infeasible rule) {
    if (group.joined == 1)
        return {std::move(rule.rule), fmt::format("on each of {} devices: {}", group.devices, rule.reason)};
    return {std::move(rule.rule), fmt::format("on {} devices that share layers: {}", group.joined, rule.reason)};
}

constexpr std::string_view of_links = "links";
constexpr std::string_view energy_of_links =
    "links.toml: energy of a bit over the link, for each that it passes; ports and switches at rest";
constexpr double rounding = 1.0 / (1 << 30);

/// The shares of one device, `times` over.
void add(std::vector<Share>& to, std::vector<Share> const& shares, double times) {
    for (auto const& share : shares) {
        auto const same = std::ranges::find(to, share.what, &Share::what);
        if (same == to.end())
            to.push_back({share.what, times * share.amount});
        else
            same->amount += times * share.amount;
    }
}

void add_part(std::vector<Share>& to, std::string_view what, double amount) {
    if (amount != 0.0) add(to, {{std::string(what), amount}}, 1.0);
}

/// The hosts of the group instead of those that the energies of devices contain.
void replace_hosts(std::vector<Share>& energy, Composed const& composed) {
    constexpr std::string_view row = "host_compute";
    double left = composed.host_of_devices;
    if (left == 0.0) return;
    for (auto& share : energy) {
        if (!share.what.starts_with(row)) continue;
        double const of_host = std::min(left, share.amount);
        left -= of_host;
        share.amount -= of_host;
    }
    std::erase_if(energy, [&](Share const& share) {
        return share.what.starts_with(row) && share.amount <= rounding * composed.host_of_devices;
    });
    add_part(energy, "host_compute/hosts of the group", composed.host_energy);
}

/// Phases in which a device of the last stage exchanges data for most of its time.
void limit_by_links(std::vector<PhaseLimit>& limits, GroupResult const& result) {
    auto const limit = [](PhaseLimit& phase, double exchanging, double working) {
        if (exchanging > working) phase = {phase.phase, "links", exchanging / (exchanging + working), 1.0, "1"};
    };
    auto const& [first, rest] = std::pair(result.last.first, result.last.rest);
    auto const& device = result.last.device;
    if (!limits.empty()) limit(limits.front(), first.stage + first.head, device.ttft.value);
    if (limits.size() > 1) limit(limits.back(), rest.stage + rest.head, device.rest.value);
}

Breakdown breakdown_of(GroupResult const& result, Composed const& composed, std::vector<Breakdown> const& of_stages) {
    auto const width = static_cast<double>(result.group.width()),
               parts = static_cast<double>(result.group.micro_batches);
    Breakdown all;
    add(all.time, of_stages.front().time, parts);
    add_part(all.time, "links/exchange", composed.exchanging);
    add_part(all.time, "links/waiting for other stages", composed.waiting);
    for (std::size_t i = 0; i < of_stages.size(); ++i) {
        double const devices = i == 0 ? width : width * result.before[i - 1].stages;
        add(all.energy, of_stages[i].energy, parts * devices);
        add(all.area, of_stages[i].area, devices);
    }
    replace_hosts(all.energy, composed);
    add_part(all.energy, of_links, composed.link_energy);
    add_part(all.energy, "idle_units/devices that exchange or wait", composed.idle_energy);
    all.limits = of_stages.front().limits;
    limit_by_links(all.limits, result);
    return all;
}

}  // namespace

/// The points of the devices of every kind of stage.
struct Device::Stages {
    struct Before {
        std::vector<Value> point;
        std::int64_t stages = 0;  ///< that are alike
    };
    std::vector<Value> last;
    std::vector<Before> before;
};

Device::Device(Architecture architecture) : architecture_(std::move(architecture)) {
    own_metrics_ = without_common(architecture_.metrics());
    auto const table = architecture_.parameters();
    own_ = table.size();
    group_size_ = group_parameters().size();
    llm_ = position_of(table, "llm");
    batch_ = position_of(table, "batch");
    input_ = position_of(table, "input");
    output_ = position_of(table, "output");
    generation_ = find_parameter(table, "generation");
    steps_ = find_parameter(table, "steps");
    block_length_ = find_parameter(table, "block_length");
    cache_ = find_parameter(table, "model_cache");
    scope_ = find_parameter(table, "scope");
    draft_ = find_parameter(table, "draft");
    acceptance_ = find_parameter(table, "acceptance");
    draft_llm_ = find_parameter(table, "draft_llm");
    diffusion_ = choice_of(table, generation_, "diffusion");
    end_to_end_ = choice_of(table, scope_, "end_to_end");
}

Parameters Device::parameters() const {
    auto all = architecture_.parameters();
    auto const group = group_parameters();
    all.insert(all.end(), group.begin(), group.end());
    return all;
}

std::variant<DeviceGroup, Infeasible> Device::group_of(Inputs const& inputs, Point point) const {
    auto const own = [&](std::int64_t devices) {
        return architecture_.one_of_many.own_link(inputs, point.first(own_), devices);
    };
    return read_group(inputs, group_values(point), own);
}

ModelRequest Device::request_of(Point point) const {
    ModelRequest r;
    r.batch = point[batch_].as_integer();
    r.input = point[input_].as_integer();
    r.output = point[output_].as_integer();
    auto const at = [&](int parameter) { return point[static_cast<std::size_t>(parameter)]; };
    if (draft_ >= 0) r.speculation = {at(draft_).as_integer(), at(acceptance_).as_quantity(), nullptr};
    if (generation_ < 0 || at(generation_).as_choice() != diffusion_) return r;
    r.generation = Generation::diffusion;
    r.steps = at(steps_).as_integer();
    r.block_length = at(block_length_).as_integer();
    r.cache = static_cast<PassCache>(at(cache_).as_choice());
    return r;
}

std::variant<std::vector<Value>, Infeasible> Device::part(Inputs const& inputs, Point point, DeviceGroup const& group,
                                                          std::int64_t stage) const {
    auto const part =
        architecture_.one_of_many.models(inputs).part_of(point[llm_].as_choice(), group.division(), stage);
    if (auto const* why = std::get_if<NotDivisible>(&part)) return Infeasible{"division", why->reason};
    std::vector<Value> of_device(point.begin(), point.begin() + static_cast<std::ptrdiff_t>(own_));
    of_device[llm_] = Value::choice(std::get<std::size_t>(part));
    // The last stage, which has the logits, proposes.
    if (stage + 1 < group.pipeline && draft_llm_ >= 0)
        of_device[static_cast<std::size_t>(draft_llm_)] = Value::choice(0);
    of_device[batch_] = Value::integer(point[batch_].as_integer() / group.batch_parts());
    return of_device;
}

std::variant<Device::Stages, Infeasible> Device::stages(Inputs const& inputs, Point point,
                                                        DeviceGroup const& group) const {
    Stages stages;
    bool const serves = (scope_ < 0 || point[static_cast<std::size_t>(scope_)].as_choice() == end_to_end_) &&
                        point[llm_].as_choice() >= architecture_.one_of_many.first_model;
    if (!serves)
        return infeasible(
            "devices",
            "{} devices share a language model, but the request is for none (scope = end_to_end and llm name one)",
            group.devices);
    auto const batch = point[batch_].as_integer();
    if (batch % group.batch_parts() != 0) return not_divisible(group, batch);
    auto last = part(inputs, point, group, group.pipeline - 1);
    if (auto* rule = std::get_if<Infeasible>(&last)) return std::move(*rule);
    stages.last = std::move(std::get<std::vector<Value>>(last));
    for (auto const& equal : stages_before_last(model_of(inputs, point), group.pipeline)) {
        auto before = part(inputs, point, group, equal.stage);
        if (auto* rule = std::get_if<Infeasible>(&before)) return std::move(*rule);
        stages.before.push_back({std::move(std::get<std::vector<Value>>(before)), equal.stages});
    }
    return stages;
}

LanguageModel const& Device::model_of(Inputs const& inputs, Point point) const {
    return architecture_.one_of_many.models(inputs).at(point[llm_].as_choice());
}

/// A device holds the keys and values of all its micro-batches: what they need is evaluated in closed form for all of
/// their sequences together.
Estimate Device::footprint(Inputs const& inputs, std::vector<Value> point, DeviceGroup const& group,
                           RequestResult const& result, std::optional<Infeasible>& reason) const {
    if (group.micro_batches == 1) return result.footprint;
    point[batch_] = Value::integer(point[batch_].as_integer() * group.micro_batches);
    auto const of_all = architecture_.request(inputs, point, architecture_.fidelities.front(), nullptr);
    if (auto const* rule = std::get_if<Infeasible>(&of_all)) {
        reason = on_each(group, *rule);
        return {};
    }
    return std::get<RequestResult>(of_all).footprint;
}

/// `breakdowns`: of a device of each kind of stage, the last stage first; nullptr: not asked for.
std::variant<GroupResult, Infeasible> Device::serve_stages(Inputs const& inputs, Point point, DeviceGroup const& group,
                                                           Fidelity fidelity,
                                                           std::vector<Breakdown>* breakdowns) const {
    auto read = stages(inputs, point, group);
    if (auto* rule = std::get_if<Infeasible>(&read)) return std::move(*rule);
    auto const& stages = std::get<Stages>(read);
    std::optional<Infeasible> reason;
    auto const of_stage = [&](std::vector<Value> const& at) -> StageResult {
        auto* breakdown = breakdowns == nullptr ? nullptr : &breakdowns->emplace_back();
        auto served = architecture_.request(inputs, at, fidelity, breakdown);
        if (auto* rule = std::get_if<Infeasible>(&served)) {
            reason = on_each(group, std::move(*rule));
            return {};
        }
        auto result = std::get<RequestResult>(std::move(served));
        auto const held = footprint(inputs, at, group, result, reason);
        auto request = request_of(point);
        request.output = 1 + std::llround(result.later_tokens);  // without that of its prompt, if it does not count
        auto const passes = passes_of(request);
        auto const& part = model_of(inputs, at);
        auto const sequences = static_cast<double>(at[batch_].as_integer());
        return {std::move(result), held, exchange_of(passes.first, part, group, sequences),
                exchange_of(passes.rest(), part, group, sequences)};
    };
    GroupResult result{group, {}, of_stage(stages.last)};
    for (auto const& before : stages.before)
        if (!reason) result.before.push_back({of_stage(before.point), static_cast<double>(before.stages)});
    if (reason) return *reason;
    auto const& one = architecture_.one_of_many;
    result.host = one.host(inputs);
    result.shares_hosts = one.shares_hosts;
    result.economy = &economy_of(inputs);
    return result;
}

std::variant<RequestResult, Infeasible> Device::request(Inputs const& inputs, Point point, Fidelity fidelity,
                                                        Breakdown* breakdown) const {
    auto const read = group_of(inputs, point);
    if (auto const* rule = std::get_if<Infeasible>(&read)) return *rule;
    auto const& group = std::get<DeviceGroup>(read);
    if (group.devices == 1) return architecture_.request(inputs, point.first(own_), fidelity, breakdown);
    std::vector<Breakdown> of_stages;
    auto const served = serve_stages(inputs, point, group, fidelity, breakdown == nullptr ? nullptr : &of_stages);
    if (auto const* rule = std::get_if<Infeasible>(&served)) return *rule;
    auto const& result = std::get<GroupResult>(served);
    auto composed = compose(own_metrics_, result);
    if (breakdown != nullptr) *breakdown = breakdown_of(result, composed, of_stages);
    return std::move(composed.request);
}

/// A device of the last stage with the work of one micro-batch, and at its end all that it exchanged.
Trace Device::trace(Inputs const& inputs, Point point, Fidelity fidelity) const {
    auto const read = group_of(inputs, point);
    if (std::holds_alternative<Infeasible>(read)) return {};
    auto const& group = std::get<DeviceGroup>(read);
    if (group.devices == 1) return architecture_.trace(inputs, point.first(own_), fidelity);
    auto const result = serve_stages(inputs, point, group, fidelity, nullptr);
    if (std::holds_alternative<Infeasible>(result)) return {};
    auto events = architecture_.trace(inputs, device_point(inputs, point), fidelity);
    double end = 0.0;
    for (auto const& event : events) end = std::max(end, event.start + event.duration);
    auto const& last = std::get<GroupResult>(result).last;
    events.push_back({"exchanges until the first token", "links", end, last.first.stage + last.first.head});
    events.push_back({"exchanges after it", "links", end + events.back().duration, last.rest.stage + last.rest.head});
    return events;
}

/// The point with a batch that the group can divide: steps have sequences of their own, but a machine may be built for
/// those of a batch.
std::vector<Value> Device::with_batch(Point point, DeviceGroup const& group) const {
    std::vector<Value> divisible(point.begin(), point.end());
    divisible[batch_] = Value::integer(sim::round_up(point[batch_].as_integer(), group.batch_parts()));
    return divisible;
}

std::variant<ServiceEngine, Infeasible> Device::engine(Inputs const& inputs, Point point, Fidelity fidelity) const {
    auto const read = group_of(inputs, point);
    if (auto const* rule = std::get_if<Infeasible>(&read)) return *rule;
    auto const& group = std::get<DeviceGroup>(read);
    if (group.devices == 1) return architecture_.engine(inputs, point.first(own_), fidelity);
    auto const found = stages(inputs, with_batch(point, group), group);
    if (auto const* rule = std::get_if<Infeasible>(&found)) return *rule;
    auto const& at = std::get<Stages>(found);
    auto const& one = architecture_.one_of_many;
    auto last = architecture_.engine(inputs, at.last, fidelity);
    if (auto const* rule = std::get_if<Infeasible>(&last)) return on_each(group, *rule);
    StageEngines engines{group,
                         {std::get<ServiceEngine>(std::move(last)), &model_of(inputs, at.last)},
                         {},
                         &model_of(inputs, point),
                         one.host(inputs),
                         one.shares_hosts};
    if (engines.last.engine.tokens_per_step > 1)
        return Infeasible{
            "traffic",
            "steps of several devices that denoise blocks are not modelled: devices = 1, and copies for more"};
    for (auto const& stage : at.before) {
        auto before = architecture_.engine(inputs, stage.point, fidelity);
        if (auto const* rule = std::get_if<Infeasible>(&before)) return on_each(group, *rule);
        engines.before.push_back({std::get<ServiceEngine>(std::move(before)), &model_of(inputs, stage.point),
                                  static_cast<double>(stage.stages)});
    }
    return engine_of(std::move(engines));
}

Classes Device::classes(Parameters const& parameters, ClassRequest const& request, AxisValues const& axes) const {
    auto const cut = [&](auto const& all) {
        return std::remove_cvref_t<decltype(all)>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(own_));
    };
    for (auto const& value : axes[own_])
        if (value != Value::integer(1))
            throw sim::InputError("classes are known for one device, but the space has devices = {}",
                                  value.as_integer());
    return architecture_.classes(cut(parameters), request, cut(axes));
}

Ledger Device::ledger() const {
    auto all = architecture_.ledger();
    if (std::ranges::find(all.energy, of_links, &LedgerEntry::row) == all.energy.end())
        all.energy.push_back({of_links, Account::assumed, energy_of_links});
    return all;
}

std::vector<KeyDeclaration> Device::declarations() const {
    auto all = architecture_.proofs.key_parts.declarations();
    auto const of_group = group_declarations();
    all.insert(all.end(), of_group.begin(), of_group.end());
    return all;
}

/// Every part has what the devices of every kind of stage have in it, so that conditions hold for what a device
/// serves. Model and batch are those of the request, which with the group determine what a device has: the number of a
/// part of a model (ModelList) is in no key.
CycleKeyMaker Device::key(Inputs const& inputs, Point point, std::size_t widened) const {
    auto const count = architecture_.proofs.key_parts.declarations().size();
    bool const of_device = widened < count;
    auto const own = of_device ? widened : no_declaration;
    auto const of_group =
        group_key(group_values(point), of_device || widened == no_declaration ? no_declaration : widened - count);
    auto const make = [&](Point at) { return architecture_.proofs.key_parts.make(inputs, at, own); };
    CycleKeyMaker key;
    auto const read = stages_of(inputs, point);
    if (!read) {
        key = make(point.first(own_));
    } else {
        auto const last = make(read->last);
        std::vector<CycleKeyMaker> before;
        for (auto const& stage : read->before) before.push_back(make(stage.point));
        key.add(true);
        for (std::size_t p = 0; p < own_; ++p) {
            key.begin_part();
            if (p == llm_ || p == batch_) {
                key.add(point[p]);
                continue;
            }
            key.add_part(last, p);
            for (auto const& stage : before) key.add_part(stage, p);
        }
    }
    for (std::size_t p = 0; p < of_group.parts(); ++p) {
        key.begin_part();
        key.add_part(of_group, p);
    }
    return key;
}

std::vector<std::size_t> Device::deciding(Inputs const& inputs, Point point) const {
    auto const read = stages_of(inputs, point);
    auto all = architecture_.proofs.key_parts.deciding(inputs, read ? Point(read->last) : point.first(own_));
    if (read) all[llm_] = all[batch_] = no_declaration;
    auto const count = architecture_.proofs.key_parts.declarations().size();
    for (auto const row : group_deciding(group_values(point)))
        all.push_back(row == no_declaration ? no_declaration : row + count);
    return all;
}

/// Statements about times hold for groups if what the composition of a time reads moves the same way; those about
/// resources are sums.
std::vector<MonotoneLowerBound> Device::monotone_lower_bounds(Inputs const& inputs) const {
    static constexpr std::array<std::string_view, 3> composed_alone{"ttft", "itl", "footprint"};
    auto const machine = RequestResult::known_machine();
    auto all = architecture_.proofs.monotone_lower_bounds(inputs);
    auto const states = [&](MonotoneLowerBound const& law, std::string_view metric) {
        return std::ranges::any_of(all, [&](auto const& other) {
            return other.parameter == law.parameter && other.metric == metric && other.slope == law.slope;
        });
    };
    for (auto& law : all) {
        auto const* common = find_common_metric(law.metric);
        bool const alone = std::ranges::find(composed_alone, law.metric) != composed_alone.end() ||
                           (common != nullptr && applies(common->of(machine)));
        bool const with_parts = law.metric == "latency" && states(law, "ttft") && states(law, "itl");
        law.one_device = !alone && !with_parts;
    }
    for (auto const& metric : architecture_.one_of_many.resources) all.push_back({devices_name, metric, Slope::up});
    return all;
}

std::vector<Value> Device::device_point(Inputs const& inputs, Point point) const {
    auto const group = group_of(inputs, point);
    if (auto const* rule = std::get_if<Infeasible>(&group)) throw sim::InputError(rule->reason);
    if (std::get<DeviceGroup>(group).devices == 1)
        return {point.begin(), point.begin() + static_cast<std::ptrdiff_t>(own_)};
    auto const read = stages(inputs, point, std::get<DeviceGroup>(group));
    if (auto const* rule = std::get_if<Infeasible>(&read)) throw sim::InputError(rule->reason);
    return std::get<Stages>(read).last;
}

/// The stages of a group of several devices that can be built.
std::optional<Device::Stages> Device::stages_of(Inputs const& inputs, Point point) const {
    if (devices_of(group_values(point)) == 1) return std::nullopt;
    auto const group = group_of(inputs, point);
    if (std::holds_alternative<Infeasible>(group)) return std::nullopt;
    auto read = stages(inputs, point, std::get<DeviceGroup>(group));
    if (std::holds_alternative<Infeasible>(read)) return std::nullopt;
    return std::get<Stages>(std::move(read));
}

Architecture several(std::shared_ptr<Device const> device) {
    auto all = device->architecture();
    auto const by_group = [&]<class Result, class... Given>(std::function<Result(Given...)>& call,
                                                            Result (Device::*of)(Given...) const) {
        if (call) call = [device, of](Given... given) { return (*device.*of)(given...); };
    };
    auto const by_last_device = [&](auto& call) {
        if (!call) return;
        call = [device, of = call](Inputs const& inputs, Point point, auto... given) {
            return of(inputs, device->device_point(inputs, point), given...);
        };
    };
    all.prepare_group = prepare_group;
    by_group(all.parameters, &Device::parameters);
    by_group(all.request, &Device::request);
    by_group(all.trace, &Device::trace);
    by_group(all.engine, &Device::engine);
    by_group(all.classes, &Device::classes);
    by_group(all.ledger, &Device::ledger);
    by_group(all.proofs.key_parts.declarations, &Device::declarations);
    by_group(all.proofs.key_parts.make, &Device::key);
    by_group(all.proofs.key_parts.deciding, &Device::deciding);
    by_group(all.proofs.monotone_lower_bounds, &Device::monotone_lower_bounds);
    by_last_device(all.weight_layouts);
    by_last_device(all.flow_graph);
    by_last_device(all.network_program);
    return answering(std::move(all));
}

}  // namespace pimdse::models::chips
