#include "models/umdam/prepared.hpp"

#include "models/contract/language_models.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/dram/dram_standard.hpp"
#include "sim/base/check.hpp"

#include <algorithm>

namespace pimdse::models::umdam {
namespace {

MappingOrReason make_mapping(Prepared const& prepared, Value const& value, int coll_bits,
                             Organisation const& organisation) {
    try {
        auto const text = mapping_tokens(print_value(prepared.mapping_parameter, value), organisation, coll_bits);
        return std::make_shared<sim::dram::Mapping const>(sim::dram::Mapping::parse(text, organisation));
    } catch (sim::InputError const& error) {
        return std::string(error.what());
    }
}

}  // namespace

std::shared_ptr<void const> prepare(Parameters const& parameters) {
    auto prepared = std::make_shared<Prepared>();
    prepared->machine = Machine::load();
    for (auto const& name : parameters.at(static_cast<std::size_t>(find_parameter(parameters, "llm"))).choices) {
        prepared->models.push_back(load_language_model(name));
    }
    for (auto const& name : parameters.at(static_cast<std::size_t>(find_parameter(parameters, "dram"))).choices) {
        auto& densities = prepared->standards.emplace_back();
        for (int const density : dram_densities(name)) densities.emplace(density, load_dram_standard(name, density));
    }
    prepared->mapping_parameter = parameters.at(static_cast<std::size_t>(find_parameter(parameters, "mapping")));
    return prepared;
}

MappingOrReason const& mapping_of(Prepared const& prepared, Settings const& s, Organisation const& o) {
    auto const& names = prepared.mapping_parameter.choices;
    auto const channel_highest =
        static_cast<std::size_t>(std::find(names.begin(), names.end(), "channel_msb") - names.begin());
    Value const value = s.baseline == Baseline::no_interleave ? Value::choice(channel_highest) : s.mapping;
    MappingKey const key{value, {s.coll_bits, o.channels, o.ranks, o.bank_groups, o.banks, o.row_bytes, o.rows}};
    return prepared.mappings.get(
        key, [&](MappingKey const&) { return make_mapping(prepared, value, static_cast<int>(s.coll_bits), o); });
}

}  // namespace pimdse::models::umdam
