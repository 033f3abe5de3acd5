#include "models/umdam/prepared.hpp"

#include "models/contract/parameter_text.hpp"
#include "models/dram/dram_standard.hpp"
#include "models/umdam/weight_order.hpp"
#include "sim/base/check.hpp"

#include <algorithm>
#include <utility>

namespace pimdse::models::umdam {
namespace {

WrittenOrReason read(std::string const& text) {
    try {
        return read_mapping(text);
    } catch (sim::InputError const& error) {
        return std::string(error.what());
    }
}

WrittenOrReason written_of(Value const& value, std::vector<WrittenOrReason> const& written) {
    if (value.kind() == Kind::choice) return written.at(value.as_choice());
    return WrittenMapping{read_order(permutation(field_items(), value.as_permutation())), {}};
}

/// The mapping of an order of address bits; its order or its widths may not fit.
template <class MakeOrder>
MappingOrReason fitted(Organisation const& organisation, MakeOrder const& order) {
    try {
        return std::make_shared<sim::dram::Mapping const>(sim::dram::make_mapping(order(), organisation));
    } catch (sim::InputError const& error) {
        return std::string(error.what());
    }
}

MappingOrReason mapping_for(MappingKey const& key, std::vector<WrittenOrReason> const& known) {
    auto const written = written_of(key.value, known);
    if (auto const* reason = std::get_if<std::string>(&written)) return *reason;
    return fitted(key.organisation, [&] {
        return order_on(std::get<WrittenMapping>(written), key.organisation, static_cast<int>(key.coll_bits));
    });
}

MappingOrReason columns_in_banks_for(ColumnsInBanksKey const& key) {
    return fitted(key.organisation, [&] { return columns_in_banks(key.organisation, key.column_bytes); });
}

Parameter const& parameter(Parameters const& parameters, std::string_view name) {
    return parameters.at(static_cast<std::size_t>(find_parameter(parameters, name)));
}

}  // namespace

std::shared_ptr<Prepared const> prepared_with(Parameters const& keys, MachineConstants machine) {
    std::shared_ptr<Prepared> prepared(new Prepared{std::move(machine)});
    for (auto const& name : parameter(keys, "dram").choices) {
        auto& densities = prepared->standards.emplace_back();
        for (int const density : dram_densities(name)) densities.emplace(density, load_dram_standard(name, density));
    }
    auto const& mappings = parameter(keys, "mapping").choices;
    for (auto const& text : mappings) prepared->written.push_back(read(text));
    prepared->channel_highest = static_cast<std::size_t>(std::ranges::find(mappings, "channel_msb") - mappings.begin());
    return prepared;
}

MappingOrReason const& mapping_of(Prepared const& prepared, Design const& d, Organisation const& o,
                                  std::int64_t granule) {
    if (d.baseline == Baseline::column_in_bank) return pieces_over_banks(prepared, o, granule);
    bool const interleaved = d.baseline != Baseline::no_interleave;
    MappingKey const key{interleaved ? d.mapping : Value::choice(prepared.channel_highest), d.coll_bits, o};
    return prepared.mappings.get(key, mapping_for, prepared.written);
}

MappingOrReason const& pieces_over_banks(Prepared const& prepared, Organisation const& o, std::int64_t piece) {
    return prepared.column_mappings.get({piece, o}, columns_in_banks_for);
}

}  // namespace pimdse::models::umdam
