#include "models/dram/pim_units.hpp"

#include "models/contract/toml_file.hpp"
#include "models/dram/dram_standard.hpp"
#include "sim/base/check.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/dram/standard.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::models {
namespace {

using sim::pim::BankUnits;
using sim::pim::SumPolicy;
using sim::pim::UnitSizes;
using sim::pim::UnitTiming;
using sim::pim::WeightPlacement;

/// Far beyond any device, and small enough that products of a few values fit 64 bits.
constexpr CountLimits some{1, 1 << 24};
constexpr CountLimits some_cycles{0, 10'000'000};

class PimTableReader {
  public:
    PimTableReader(toml::table const& pim, std::filesystem::path file, std::vector<std::string>& mistakes)
        : file_(std::move(file)), mistakes_(mistakes), table_(pim, file_, mistakes) {}

    void read(BankUnits& units) {
        read_sizes(units.sizes);
        read_timing(units.timing);
        (void)table_.text("source");
        auto const* energy = table_.node("energy");
        if (energy != nullptr && energy->is_table())
            read_energy(*energy->as_table(), units);
        else
            table_.mistake("energy", "[pim.energy] is missing (every [pim] table must have one)");
        table_.refuse_unknown_keys();
    }

    /// What the host waits between writing inputs and the MACs, s.
    [[nodiscard]] double fence() const { return fence_; }

  private:
    template <class Wanted>
    Wanted quantity(TableReader& reader, std::string_view key) {
        auto const before = mistakes_.size();
        auto const written = reader.text(key);
        if (mistakes_.size() != before) return {};
        auto const wanted = sim::dimension_of(Wanted{});
        try {
            auto const value = sim::parse_quantity(written);
            if (value.dimension != wanted) {
                reader.mistake(key, fmt::format("'{}' is {} (it must be {})", key, sim::a_dimension(value.dimension),
                                                sim::a_dimension(wanted)));
            } else if (value.si < 0.0) {
                reader.mistake(key, fmt::format("'{}' = {} is negative", key, written));
            } else {
                return Wanted{value.si};
            }
        } catch (sim::InputError const& error) {
            reader.mistake(key, error.what());
        }
        return {};
    }

    void read_sizes(UnitSizes& sizes) {
        for (auto const& [key, field] : {std::pair{"banks_per_unit", &sizes.banks_per_unit},
                                         {"word_bytes", &sizes.word_bytes},
                                         {"buffer_bytes", &sizes.buffer_bytes},
                                         {"sums", &sizes.sums},
                                         {"sum_bytes", &sizes.sum_bytes}})
            *field = table_.count(key, some);
        sizes.policy =
            table_.one_of("sum_policy", {"carried", "kept"}) == "kept" ? SumPolicy::kept : SumPolicy::carried;
        sizes.placement = table_.one_of("placement", {"row_per_output", "packed"}) == "packed"
                              ? WeightPlacement::packed
                              : WeightPlacement::row_per_output;
    }

    void read_timing(UnitTiming& timing) {
        for (auto const& [key, field] : {std::pair{"nMAC", &timing.mac_interval},
                                         {"nWRIN", &timing.buffer_write},
                                         {"nWRSUM", &timing.sum_write},
                                         {"nRDSUM", &timing.sum_read}})
            *field = table_.count(key, some);
        for (auto const& [key, field] : {std::pair{"nRCDMAC", &timing.activate_to_mac},
                                         {"nMTP", &timing.mac_to_precharge},
                                         {"nWTRSUM", &timing.write_to_read},
                                         {"nRTWSUM", &timing.read_to_write},
                                         {"nMTX", &timing.mac_to_transfer},
                                         {"nXTM", &timing.write_to_mac},
                                         {"nMODE", &timing.mode_change}})
            *field = table_.count(key, some_cycles);
        fence_ = quantity<sim::Time>(table_, "fence").si;
    }

    void read_energy(toml::table const& energy, BankUnits& units) {
        TableReader reader(energy, file_, mistakes_);
        auto& e = units.energy;
        for (auto const& [key, field] : {std::pair{"activate", &e.activate},
                                         {"mac", &e.mac},
                                         {"input_write", &e.buffer_write},
                                         {"sum_write", &e.sum_write},
                                         {"sum_read", &e.sum_read},
                                         {"word_write", &e.word_write}})
            *field = quantity<sim::Energy>(reader, key);
        for (auto const& [key, field] : {std::pair{"active_standby", &e.active_standby}, {"standby", &e.standby}})
            *field = quantity<sim::Power>(reader, key);
        (void)reader.text("source");
        reader.refuse_unknown_keys();
    }

    std::filesystem::path file_;
    std::vector<std::string>& mistakes_;
    TableReader table_;
    double fence_ = 0.0;
};

/// What the units share with reads and writes of the same memory.
void take_from(sim::dram::Standard const& dram, BankUnits& units) {
    auto const& t = dram.timing;
    auto& timing = units.timing;
    units.sizes.banks = dram.organisation.banks_per_rank();
    units.sizes.row_bytes = dram.organisation.row_bytes;
    timing.clock = dram.clock;
    timing.activate_to_write = t.nRCDWR;
    // All banks are closed together.
    timing.precharge = std::max(t.nRP, t.nRPab);
    timing.activate_to_precharge = t.nRAS;
    timing.activate_to_activate = t.nRC;
    timing.write_to_activate = t.nCWL + t.nBL + t.nWR + timing.precharge;
    timing.refresh_interval = t.nREFI;
    timing.refresh_time = t.nRFC;
    units.energy.refresh = dram.energy.refresh;
}

/// Timing sets with a [pim] table, sorted.
std::vector<std::string> pim_unit_names() {
    std::vector<std::string> names;
    for (auto const& name : dram_standard_names()) {
        if ((*read_toml(dram_file(name)))["pim"].is_table()) names.push_back(name);
    }
    return names;
}

}  // namespace

sim::pim::BankUnits load_pim_units(std::string_view name, int density_gbit) {
    auto const file = dram_file(name);
    std::vector<std::string> mistakes;
    std::optional<sim::dram::Standard> dram;
    try {
        dram = load_dram_file(file, density_gbit);
    } catch (sim::InputError const& error) {
        mistakes = error.sentences();
    }
    auto const read = read_toml(file);
    auto const& content = *read;
    auto const* pim = content["pim"].as_table();
    if (pim == nullptr)
        throw sim::InputError("DRAM '{}' has no [pim] table (sets with one: {}).", sim::clipped(name),
                              fmt::join(pim_unit_names(), ", "));
    BankUnits units;
    PimTableReader reader(*pim, file, mistakes);
    reader.read(units);
    if (!mistakes.empty()) throw sim::InputError(mistakes);
    take_from(*dram, units);
    units.timing.fence = static_cast<std::int64_t>(std::ceil(reader.fence() / dram->clock.si));
    try {
        sim::pim::review(units);
    } catch (sim::InputError const& error) {
        for (auto const& sentence : error.sentences()) mistakes.push_back(place(file, pim->source()) + ": " + sentence);
        throw sim::InputError(mistakes);
    }
    return units;
}

}  // namespace pimdse::models
