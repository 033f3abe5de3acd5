#include "models/chips/group.hpp"

#include "models/contract/key_table.hpp"
#include "models/contract/parameter_table.hpp"
#include "sim/base/memo.hpp"

#include <fmt/format.h>
#include <compare>
#include <optional>
#include <string>
#include <utility>

namespace pimdse::models::chips {
namespace {

constexpr double max_group = 1024;
constexpr double max_bandwidth = 1'000'000'000'000'000'000;  // B/s

/// The values of the parameters; 0 and the first choices stand for what other values or the link determine.
struct Settings {
    std::int64_t devices = 1, tensor = 0, pipeline = 1, expert = 1, data = 1, micro_batches = 1;
    std::size_t link = 0;        ///< 0: own; otherwise a kind of link + 1
    std::size_t stage_link = 0;  ///< 0: as link; otherwise a kind of link + 1
    double bandwidth = 0.0;      ///< B/s; 0: of the link
    double latency = 0.0;        ///< s; 0: of the link
    std::size_t topology = 0;    ///< 0: of the link; otherwise a topology + 1
};
using Table = ParameterTable<Settings>;

std::vector<std::string> after(std::string first, auto const& names) {
    std::vector<std::string> all{std::move(first)};
    all.insert(all.end(), names.begin(), names.end());
    return all;
}

void add_divisions(Table& table) {
    table.row<&Settings::devices>(resource(
        count("devices", "1", 1, {1, max_group},
              "machines (boards, chips) that serve the model together; everything else describes one of them")));
    table.row<&Settings::tensor>(
        count("tensor_parallel", "1", 0, {0, max_group},
              "devices that share the matrices of each layer; 0: those that the other divisions leave"));
    table.row<&Settings::pipeline>(
        count("pipeline_parallel", "1", 1, {1, max_group}, "stages of devices that share the layers"));
    table.row<&Settings::expert>(
        count("expert_parallel", "1", 1, {1, max_group},
              "devices that share the experts of a layer, and of which each attends to sequences of its own"));
    table.row<&Settings::data>(
        count("data_parallel", "1", 1, {1, max_group}, "copies of the model, each with sequences of its own"));
    table.row<&Settings::micro_batches>(
        count("micro_batches", "1", 1, {1, 4096}, "parts of a batch that follow each other through the stages"));
}

void add_links(Table& table) {
    table.row<&Settings::link>(
        choice("link", after("own", link_names),
               "what joins the devices of a stage; own: the link of the machine (docs/models.md)"));
    table.row<&Settings::stage_link>(
        choice("stage_link", after("link", link_names), "what joins the stages; link: the same"));
    table.row<&Settings::bandwidth>(
        quantity("link_bandwidth", "GB/s", 0.0, {0.0, max_bandwidth},
                 "of a device in one direction over all wires of `link` together; 0: that of the link"));
    table.row<&Settings::latency>(
        quantity("link_latency", "us", 0.0, {0.0, 1.0}, "of a step over `link` without data; 0: that of the link"));
    table.row<&Settings::topology>(
        choice("link_topology", after("own", topology_names), "how `link` joins devices; own: as the link does"));
}

Table const& table() {
    static auto const made = table_of<Table, add_divisions, add_links>();
    return made;
}

std::optional<Infeasible> broken_rule(Settings const& s) {
    auto const others = s.pipeline * s.expert * s.data;
    if (s.tensor == 0 && s.devices % others != 0)
        return infeasible("devices",
                          "pipeline_parallel x expert_parallel x data_parallel = {} does not divide the {} devices",
                          others, s.devices);
    if (s.tensor != 0 && s.tensor * others != s.devices)
        return infeasible(
            "devices",
            "tensor_parallel x pipeline_parallel x expert_parallel x data_parallel = {}, but there are {} devices",
            s.tensor * others, s.devices);
    if (s.micro_batches > 1 && s.pipeline == 1)
        return infeasible("micro_batches", "{} micro-batches need a pipeline, but pipeline_parallel = 1",
                          s.micro_batches);
    return std::nullopt;
}

Infeasible beyond_reach(std::string_view which, std::int64_t devices, std::int64_t reach) {
    return {"reach", fmt::format("{} joins {} devices at most, not {} (pimdse links show has the reach of others)",
                                 which, reach, devices)};
}

Infeasible law_of_its_own(std::int64_t devices) {
    return {
        "link",
        fmt::format(
            "the {} devices share layers over the link of the machine's own file, which link_bandwidth, link_latency "
            "and link_topology do not change (they change a link that is named, such as link = cxl3_x8)",
            devices)};
}

using GroupKey = KeyTable<Settings>;

GroupKey make_key() {
    GroupKey key(group_parameters());
    key.irrelevant(
        {"link", "stage_link", "link_bandwidth", "link_latency", "link_topology"},
        [](Settings const& s) { return s.devices == 1; }, "one device has no links to others");
    key.stands_for(
        "tensor_parallel",
        [](Settings const& s) {
            return Value::integer(s.tensor == 0 ? s.devices / (s.pipeline * s.expert * s.data) : s.tensor);
        },
        "0 stands for the devices that the other divisions leave");
    key.irrelevant(
        "stage_link", [](Settings const& s) { return s.pipeline == 1; }, "there is one stage");
    return key;
}

GroupKey const& key_table() {
    static auto const made = make_key();
    return made;
}

/// What GroupInputs follow from: assumptions, and constants of a draw that belong to tables.
struct FiguresKey {
    AssumptionTexts assumptions;
    std::vector<std::pair<std::string, double>> drawn;
    auto operator<=>(FiguresKey const&) const = default;
};

struct KnownInputs {
    GroupInputs inputs;
    [[nodiscard]] static constexpr std::size_t weight() { return 1; }
};

}  // namespace

GroupInputs::GroupInputs(ModelOptions const& options) : economy(options), links(load_links(options)) {
    for (std::size_t kind = 0; kind < links.size(); ++kind) {
        links.at(kind).cost = economy.link(link_names.at(kind));
        links.at(kind).carbon = economy.link_carbon(link_names.at(kind));
    }
}

std::shared_ptr<void const> prepare_group(ModelOptions const& options) {
    constexpr std::size_t max_known = 256;
    static sim::LruCache<FiguresKey, KnownInputs> const lately{max_known};
    FiguresKey key{texts_of(options.assumptions), {}};
    for (auto const& [name, value] : options.drawn)
        if (name.find('.') != std::string::npos) key.drawn.emplace_back(name, value);
    auto const found = lately.get(
        key,
        [](FiguresKey const&, ModelOptions const& of) {
            return std::make_shared<KnownInputs const>(KnownInputs{GroupInputs(of)});
        },
        options);
    return {found, &found->inputs};
}

Parameters group_parameters() { return table().parameters(); }

std::variant<DeviceGroup, Infeasible> read_group(Inputs const& inputs, Point group, OwnLink const& own_link) {
    auto const s = table().read(group);
    if (auto rule = broken_rule(s)) return *rule;
    DeviceGroup g{.devices = s.devices,
                  .tensor = s.devices == 1 ? 1 : s.tensor,
                  .pipeline = s.pipeline,
                  .expert = s.expert,
                  .data = s.data,
                  .micro_batches = s.micro_batches};
    if (g.devices == 1) return g;
    if (g.tensor == 0) g.tensor = s.devices / (s.pipeline * s.expert * s.data);
    auto const joined = g.tensor * g.expert * (s.stage_link == 0 ? g.pipeline : 1);
    if (s.link == 0) {
        auto own = own_link(joined);
        if (auto* rule = std::get_if<Infeasible>(&own)) return std::move(*rule);
        g.link = std::get<ChipLink>(own);
    } else {
        g.link = known_link(inputs, s.link - 1);
    }
    if (s.bandwidth > 0.0) g.link.set_bandwidth(s.bandwidth);
    if (s.latency > 0.0) g.link.set_latency(s.latency);
    if (s.topology > 0) g.link.topology = static_cast<Topology>(s.topology - 1);
    g.stage_link = s.stage_link == 0 ? g.link : known_link(inputs, s.stage_link - 1);
    if (joined > g.link.reach) return beyond_reach("link", joined, g.link.reach);
    if (g.pipeline > g.stage_link.reach) return beyond_reach("stage_link", g.pipeline, g.stage_link.reach);
    double const links = joined > 1 ? static_cast<double>(g.devices) : 0.0,
                 stage_links = s.stage_link != 0 && g.pipeline > 1 ? static_cast<double>(g.devices) : 0.0;
    g.links_cost = links * g.link.cost + stage_links * g.stage_link.cost;
    g.links_carbon = links * g.link.carbon + stage_links * g.stage_link.carbon;
    g.links_standby = links * g.link.standby.si + stage_links * g.stage_link.standby.si;
    if (!g.link.makes_one || g.tensor == 1) return g;
    if (s.bandwidth > 0.0 || s.latency > 0.0 || s.topology > 0) return law_of_its_own(g.tensor);
    std::swap(g.tensor, g.joined);
    return g;
}

std::vector<KeyDeclaration> group_declarations() { return key_table().declarations(); }

CycleKeyMaker group_key(Point group, std::size_t widened) {
    return key_table().parts(group, table().read(group), widened);
}

std::vector<std::size_t> group_deciding(Point group) { return key_table().deciding(table().read(group)); }

}  // namespace pimdse::models::chips
