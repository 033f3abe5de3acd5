#include "dse/report/device_group.hpp"

#include "models/contract/architecture.hpp"
#include "models/contract/parameter_text.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pimdse::dse::report {
namespace {

using models::chips::ChipLink;
using sim::Json;

std::string_view topology_of(ChipLink const& link) {
    return models::chips::topology_names[static_cast<std::size_t>(link.topology)];
}

std::string link_text(std::string_view name, ChipLink const& link) {
    return fmt::format("{}: {}, {}", name, topology_of(link), sim::print_quantity(link.bandwidth.si, "B/s"));
}

Json link_json(std::string_view name, ChipLink const& link) {
    return {{"name", name}, {"topology", topology_of(link)}, {"bandwidth", link.bandwidth.si}};
}

}  // namespace

std::optional<NamedGroup> group_of(models::Architecture const& architecture, models::Inputs const& inputs,
                                   models::Point point) {
    auto const& parameters = inputs.parameters;
    int const devices = models::find_parameter(parameters, "devices");
    if (devices < 0 || !inputs.group || architecture.one_of_many.own_link == nullptr) return std::nullopt;
    auto const own = static_cast<std::size_t>(devices);
    if (point[own].as_integer() == 1) return std::nullopt;
    auto const own_link = [&](std::int64_t count) {
        return architecture.one_of_many.own_link(inputs, point.first(own), count);
    };
    // Parameters of a scheduler may follow those of the group.
    auto const group = point.subspan(own, models::chips::group_parameters().size());
    auto const read = models::chips::read_group(inputs, group, own_link);
    if (std::holds_alternative<models::Infeasible>(read)) return std::nullopt;
    auto const value = [&](std::string_view name) {
        auto const at = static_cast<std::size_t>(models::find_parameter(parameters, name));
        return models::print_value(parameters[at], point[at]);
    };
    NamedGroup named{std::get<models::chips::DeviceGroup>(read), value("link"), value("stage_link")};
    if (named.stage_link == "link") named.stage_link = named.link;
    return named;
}

std::string group_text(NamedGroup const& named) {
    auto const& g = named.group;
    std::vector<std::string> parts;
    for (auto const& [count, what] :
         {std::pair(g.data, "copies"), {g.pipeline, "stages"}, {g.expert, "expert"}, {g.tensor * g.joined, "tensor"}})
        if (count > 1) parts.push_back(fmt::format("{} {}", count, what));
    auto text = fmt::format("{} devices: {}", g.devices, fmt::join(parts, " x "));
    if (g.micro_batches > 1) text += fmt::format(", {} micro-batches", g.micro_batches);
    if (g.tensor * g.joined * g.expert > 1) text += "; link " + link_text(named.link, g.link);
    if (g.pipeline > 1) text += "; between stages " + link_text(named.stage_link, g.stage_link);
    return text;
}

Json group_json(NamedGroup const& named) {
    auto const& g = named.group;
    return {{"devices", g.devices},
            {"tensor", g.tensor * g.joined},
            {"pipeline", g.pipeline},
            {"expert", g.expert},
            {"data", g.data},
            {"micro_batches", g.micro_batches},
            {"link", link_json(named.link, g.link)},
            {"stage_link", link_json(named.stage_link, g.stage_link)}};
}

}  // namespace pimdse::dse::report
