#include "models/text/component_kinds.hpp"

#include "models/text/part_kinds.hpp"
#include "sim/base/check.hpp"
#include "sim/base/memo.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <map>

namespace pimdse::models::text {
namespace {

constexpr sim::Dimension plain{}, second_count{.second = 1}, joule_count{.joule = 1}, cycle_rate{.second = -1},
    watt_count{.second = -1, .joule = 1}, byte_count{.byte = 1}, byte_rate{.second = -1, .byte = 1},
    square_metres{.metre = 2}, operation_rate{.second = -1, .operation = 1}, joule_per_byte{.joule = 1, .byte = -1},
    joule_per_operation{.joule = 1, .operation = -1}, metres{.metre = 1}, dollars{.money = 1}, kilograms{.mass = 1},
    dollars_per_byte{.byte = -1, .money = 1}, kilograms_per_byte{.byte = -1, .mass = 1};

std::vector<NumberKey> with(std::vector<NumberKey> keys, std::vector<NumberKey> const& more) {
    keys.insert(keys.end(), more.begin(), more.end());
    return keys;
}

std::vector<NumberKey> die() { return {{"area", square_metres, "0"}, {"static_power", watt_count, "0"}}; }

std::vector<NumberKey> of_memory(NumberKey const& cost = {"cost", dollars_per_byte, "-1 USD/B", false,
                                                          NumberRange::any},
                                 NumberKey const& carbon = {"carbon", kilograms_per_byte, "-1 kg/B", false,
                                                            NumberRange::any}) {
    return with({{"capacity", byte_count, "0"},
                 {"usable", plain, "1", false, NumberRange::part},
                 {"memory_area", square_metres, "0"},
                 {"working_power", watt_count, "0"},
                 {"packages", plain, "0"},
                 {"package_limit", watt_count, "0"},
                 {"installed", byte_count, "0"},
                 cost,
                 carbon},
                die());
}

std::vector<NumberKey> of_unit() {
    return with({{"share", plain, "1", true, NumberRange::share}, {"waiting_power", watt_count, "0"}}, die());
}

std::vector<ComponentKind> memories() {
    return {{"rate",
             with({{"bandwidth", byte_rate, "0"},
                   {"write_bandwidth", byte_rate, "0"},
                   {"share", plain, "1", false, NumberRange::share},
                   {"clock_share", plain, "0", false, NumberRange::part}},
                  of_memory()),
             {{"type", false}},
             joule_per_byte},
            {"dram",
             with({{"channels", plain, "0"},
                   {"share", plain, "1", false, NumberRange::share},
                   {"clock_share", plain, "0", false, NumberRange::part}},
                  of_memory()),
             {{"timing", true}, {"mapping", false}, {"type", false}},
             joule_per_byte},
            {"tier",
             with({{"bandwidth", byte_rate, "", false, NumberRange::positive},
                   {"write_bandwidth", byte_rate, "0"},
                   {"share", plain, "1", false, NumberRange::share},
                   {"latency", second_count, "0 s"},
                   {"relayout", plain, "0"}},
                  of_memory({"cost", dollars_per_byte, ""}, {"carbon", kilograms_per_byte, "0 kg/B"})),
             {},
             joule_per_byte}};
}

/// The keys of a part: numbers in the unit of each, and texts.
ComponentKind of_part(PartKind const& part) {
    ComponentKind kind{std::string(part.name), of_unit(), {}, joule_per_operation, true, &part};
    for (auto const& key : part.keys) {
        if (auto choices = PartKind::texts_of(key); !choices.empty()) {
            kind.texts.push_back({key.name, false, std::move(choices)});
            continue;
        }
        auto const unit = sim::parse_unit(key.unit.empty() ? "1" : key.unit);
        bool const counts = key.kind == Kind::integer;
        auto const written =
            counts ? static_cast<double>(key.default_value.as_integer()) : key.default_value.as_quantity() / unit.in_si;
        kind.numbers.push_back({key.name, unit.dimension,
                                key.unit == "1" ? fmt::format("{}", written) : fmt::format("{} {}", written, key.unit),
                                false, NumberRange::any});
    }
    return kind;
}

std::vector<ComponentKind> units() {
    return {{"roof",
             with({{"rate", operation_rate, "", true},
                   {"tile", plain, "1", false, NumberRange::positive},
                   {"tile_buffer", byte_count, "0"}},
                  of_unit()),
             {},
             joule_per_operation,
             true},
            {"array",
             with({{"rows", plain, "", false, NumberRange::positive},
                   {"columns", plain, "", false, NumberRange::positive},
                   {"count", plain, "1", false, NumberRange::positive},
                   {"frequency", cycle_rate, "", false, NumberRange::positive},
                   {"fill", plain, "0"},
                   {"tile", plain, "1", false, NumberRange::positive},
                   {"packed", plain, "0", false, NumberRange::part},
                   {"cycle_energy", joule_count, "0"}},
                  of_unit()),
             {{"buffer", false}},
             joule_per_operation,
             true},
            {"bank_pim",
             with({{"mac_interval", second_count, "0"},
                   {"global_buffer", byte_count, "0"},
                   {"value_channels", plain, "0"},
                   {"standby_share", plain, "1"}},
                  of_unit()),
             {{"memory", true}},
             joule_per_operation,
             true},
            {"vector",
             with({{"lanes", plain, "", false, NumberRange::positive},
                   {"frequency", cycle_rate, "", false, NumberRange::positive},
                   {"per_cycle", plain, "1", false, NumberRange::positive}},
                  of_unit()),
             {},
             joule_per_operation,
             true}};
}

std::vector<ComponentKind> links() {
    return {{"link",
             {{"bandwidth", byte_rate, "-1 GB/s", false, NumberRange::any},
              {"write_bandwidth", byte_rate, "0"},
              {"latency", second_count, "-1 s", false, NumberRange::any},
              {"start", second_count, "-1 s", false, NumberRange::any},
              {"fill", second_count, "-1 s", false, NumberRange::any},
              {"standby", watt_count, "-1 W", false, NumberRange::any},
              {"cost", dollars, "-1 USD", false, NumberRange::any},
              {"carbon", kilograms, "-1 kg", false, NumberRange::any},
              {"devices", plain, "0"}},
             {{"like", false}, {"sharing", false, {"heads", "machine"}}},
             joule_per_byte}};
}

std::vector<ComponentKind> const& kinds_of(std::string_view section) {
    static std::map<std::string, std::vector<ComponentKind>, std::less<>> const all{
        {"memory", memories()}, {"compute", units()}, {"link", links()}};
    return all.at(std::string(section));
}

struct Format {
    std::string_view name;
    double bits = 0.0;
};
constexpr std::array product_formats{Format{"fp16", 16}, Format{"bf16", 16}, Format{"int8", 8},
                                     Format{"fp8", 8},   Format{"int4", 4},  Format{"fp4", 4}};
constexpr std::array cache_formats{Format{"fp16", 16}, Format{"8bit", 8}};

}  // namespace

std::vector<std::string> kind_names(std::string_view section) {
    std::vector<std::string> names;
    for (auto const& kind : kinds_of(section)) names.push_back(kind.name);
    if (section == "compute")
        for (auto const part : part_names()) names.emplace_back(part);
    return names;
}

ComponentKind const& component_kind(std::string_view section, std::string_view name) {
    auto const& kinds = kinds_of(section);
    auto const found = std::ranges::find(kinds, name, &ComponentKind::name);
    if (found != kinds.end()) return *found;
    static sim::Memo<std::string, ComponentKind> const parts;
    auto const* part = section == "compute" ? part_kind(name) : nullptr;
    sim::expects(part != nullptr, "the section has this kind");
    return parts.get(
        std::string(name), [](std::string const&, PartKind const& of) { return of_part(of); }, *part);
}

std::span<NumberKey const> keys_of(std::string_view section) {
    static std::map<std::string, std::vector<NumberKey>, std::less<>> const all{
        {"format", {{"logit", byte_count, "4 B"}, {"weight_bits", plain, "0"}, {"weight_scale", byte_count, "0 B"}}},
        {"power",
         {{"idle", watt_count, "0"},
          {"limit", watt_count, "0"},
          {"voltage_floor", plain, "1", false, NumberRange::part},
          {"lowest_clock", plain, "1", false, NumberRange::share}}},
        {"cost",
         {{"node", metres, "0 nm"},
          {"dies", plain, "1", false, NumberRange::positive},
          {"product", dollars, std::string(no_product)}}},
        {"bounds",
         {{"slower", plain, "0", false, NumberRange::none_or_factor},
          {"spread", plain, "0", false, NumberRange::none_or_factor}}},
        {"service", {{"long_steps", plain, "1", false, NumberRange::part}}},
        {"run",
         {{"wait", second_count, "0"},
          {"kernel", second_count, "0"},
          {"task", second_count, "0"},
          {"at_once", plain, "0"},
          {"reads", plain, "1"},
          {"work", plain, "0"},
          {"sends", byte_count, "0"},
          {"moves", byte_count, "0"},
          {"results", byte_count, "0"}}}};
    return all.find(section)->second;
}

std::vector<std::string> product_format_names() {
    std::vector<std::string> names;
    for (auto const& format : product_formats) names.emplace_back(format.name);
    return names;
}

std::vector<std::string> cache_format_names() {
    std::vector<std::string> names;
    for (auto const& format : cache_formats) names.emplace_back(format.name);
    return names;
}

ProductFormat numbers_of(std::string_view format) { return {bits_of_format(format), !format.starts_with("int")}; }

double bits_of_format(std::string_view name) {
    for (auto const& format : product_formats)
        if (format.name == name) return format.bits;
    for (auto const& format : cache_formats)
        if (format.name == name) return format.bits;
    sim::expects(false, "the format is known");
    return 0.0;
}

}  // namespace pimdse::models::text
