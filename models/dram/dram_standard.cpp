#include "models/dram/dram_standard.hpp"

#include "models/contract/parameter_text.hpp"
#include "models/contract/toml_file.hpp"
#include "sim/base/check.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/words.hpp"
#include "sim/dram/family.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>
#include <algorithm>
#include <memory>
#include <utility>

namespace pimdse::models {
namespace {

using sim::dram::Standard;
using sim::dram::Timing;

/// A key of [timing]: the members that it sets (all of them), the families that require it, and the default for the
/// other families.
struct Key {
    std::string_view name;
    std::vector<int Timing::*> fields;
    std::string_view families;  ///< letters of their rows (sim/dram/family.cpp)
    int Timing::*otherwise = nullptr;
};

std::vector<Key> const& timing_keys() {
    static std::vector<Key> const keys{{"nBL", {&Timing::nBL}, "LDHG"},
                                       {"nBLmax", {&Timing::nBLmax}, "L", &Timing::nBL},
                                       {"nCL", {&Timing::nCL}, "LDHG"},
                                       {"nCWL", {&Timing::nCWL}, "LDHG"},
                                       {"nRCD", {&Timing::nRCDRD, &Timing::nRCDWR}, "LD"},
                                       {"nRCDRD", {&Timing::nRCDRD}, "HG"},
                                       {"nRCDWR", {&Timing::nRCDWR}, "HG"},
                                       {"nRP", {&Timing::nRP}, "LDHG"},
                                       {"nRPab", {&Timing::nRPab}, "L", &Timing::nRP},
                                       {"nRAS", {&Timing::nRAS}, "LDHG"},
                                       {"nRC", {&Timing::nRC}, "LDHG"},
                                       {"nWR", {&Timing::nWR}, "LDHG"},
                                       {"nRTP", {&Timing::nRTP}, "LDHG"},
                                       {"nCCDS", {&Timing::nCCDS}, "LDHG"},
                                       {"nCCDL", {&Timing::nCCDL}, "LDHG"},
                                       {"nRRD", {&Timing::nRRDS, &Timing::nRRDL}, "L"},
                                       {"nRRDS", {&Timing::nRRDS}, "DHG"},
                                       {"nRRDL", {&Timing::nRRDL}, "DHG"},
                                       {"nFAW", {&Timing::nFAW}, "LDHG"},
                                       {"nWTRS", {&Timing::nWTRS}, "LDHG"},
                                       {"nWTRL", {&Timing::nWTRL}, "LDHG"},
                                       {"nCS", {&Timing::nCS}, "LD"},
                                       {"nPPD", {&Timing::nPPD}, "L"},
                                       {"nAAD", {&Timing::nAAD}, "L"},
                                       {"nWCKPST", {&Timing::nWCKPST}, "L"},
                                       {"nREFI", {&Timing::nREFI}, "LDHG"},
                                       {"nREFIpb", {&Timing::nREFIpb}, "LH"},
                                       {"nPBR2PBR", {&Timing::nPBR2PBR}, "L"},
                                       {"nPBR2ACT", {&Timing::nPBR2ACT}, "L"},
                                       {"nRREFD", {&Timing::nPBR2ACT}, "H"}};
    return keys;
}

class StandardFile {
  public:
    explicit StandardFile(std::filesystem::path file)
        : file_(std::move(file)), content_(read_toml(file_)), top_(*content_, file_, mistakes_) {}

    Standard read(int density) {
        Standard s;
        s.name = top_.text("name");
        s.source = top_.text("source");
        s.has_reference_rows = top_.flag("reference");
        (void)top_.text_or("note", "");
        (void)top_.node("pim");  // models/dram/pim_units.hpp
        read_family(s);
        s.density_gbit = density > 0 ? density : small(top_, "density", {1, max_gbit});
        (void)top_.node("density");
        if (auto const* clock = section("clock")) read_clock(*clock, s);
        if (auto const* organisation = section("organisation")) read_organisation(*organisation, s);
        if (auto const* timing = section("timing")) read_timing(*timing, s);
        if (top_.node("energy") != nullptr) {
            if (auto const* energy = section("energy")) read_energy(*energy, s);
        }
        read_density(s);
        top_.refuse_unknown_keys();
        if (!mistakes_.empty()) throw sim::InputError(mistakes_);
        return s;
    }

    std::vector<int> densities() {
        std::vector<int> result;
        for (auto const* entry : density_tables()) {
            TableReader reader(*entry, file_, mistakes_);
            result.push_back(small(reader, "gbit", {1, max_gbit}));
        }
        std::sort(result.begin(), result.end());
        return result;
    }

  private:
    /// Far beyond any device, and small enough that sums and products of a few values fit 32 bits.
    static constexpr CountLimits cycles{0, 10'000'000};
    static constexpr std::int64_t max_gbit = 1 << 20;

    static int small(TableReader& reader, std::string_view key, CountLimits limits) {
        return static_cast<int>(reader.count(key, limits));
    }

    std::vector<toml::table const*> density_tables() {
        std::vector<toml::table const*> tables;
        auto const* list = (*content_)["densities"].as_array();
        for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
            if (auto const* table = list->get(i)->as_table())
                tables.push_back(table);
            else
                top_.mistake("densities", "an entry of 'densities' is not a table with gbit, rows and nRFC");
        }
        return tables;
    }

    toml::table const* section(std::string_view name) {
        auto const* found = top_.node(name);
        if (found == nullptr || !found->is_table()) {
            top_.mistake(name, fmt::format("[{}] is missing (every timing set must have one)", name));
            return nullptr;
        }
        return found->as_table();
    }

    void read_family(Standard& s) {
        auto const written = top_.text("family");
        auto const& rows = sim::dram::families();
        auto const found = std::ranges::find(rows, written, &sim::dram::FamilyRow::name);
        if (found == rows.end()) {
            std::vector<std::string> names;
            for (auto const& row : rows) names.emplace_back(row.name);
            top_.mistake("family", fmt::format("unknown family '{}'.{}", written, sim::suggestion(written, names)));
            return;
        }
        s.family = found->family;
    }

    double quantity(TableReader& reader, std::string_view key, sim::Dimension wanted) {
        auto const before = mistakes_.size();
        auto const written = reader.text(key);
        if (mistakes_.size() != before) return 0.0;
        try {
            auto const value = sim::parse_quantity(written);
            if (value.dimension == wanted && value.si >= 0.0) return value.si;
            if (value.dimension == wanted) throw sim::InputError("'{}' = {} is negative", key, written);
            reader.mistake(key, fmt::format("'{}' is {} (it must be {})", key, sim::a_dimension(value.dimension),
                                            sim::a_dimension(wanted)));
        } catch (sim::InputError const& error) {
            reader.mistake(key, error.what());
        }
        return 0.0;
    }

    void read_clock(toml::table const& table, Standard& s) {
        TableReader reader(table, file_, mistakes_);
        s.clock = sim::Time{quantity(reader, "tCK", sim::dimension_of(sim::Time{}))};
        s.mega_transfers = reader.number("data_rate");
        if (!(s.clock.si >= 1e-15 && s.clock.si <= 1.0))
            reader.mistake("tCK", fmt::format("'tCK' = {} s is out of range (1 fs to 1 s)", s.clock.si));
        reader.refuse_unknown_keys();
    }

    void read_organisation(toml::table const& table, Standard& s) {
        TableReader reader(table, file_, mistakes_);
        auto& o = s.organisation;
        for (auto const& [key, field] : {std::pair{"channels", &o.channels},
                                         {"ranks", &o.ranks},
                                         {"bank_groups", &o.bank_groups},
                                         {"banks", &o.banks},
                                         {"burst_bytes", &o.burst_bytes},
                                         {"channel_bits", &o.channel_bits}}) {
            *field = small(reader, key, {1, 1024});
        }
        o.row_bytes = small(reader, "row_bytes", {1, 1 << 20});
        reader.refuse_unknown_keys();
    }

    void read_timing(toml::table const& table, Standard& s) {
        TableReader reader(table, file_, mistakes_);
        auto& t = s.timing;
        for (auto const& key : timing_keys()) {
            bool const has = key.families.find(sim::dram::row_of(s.family).letter) != std::string_view::npos;
            if (!has && key.otherwise == nullptr) continue;
            auto const value = has ? small(reader, key.name, cycles) : t.*key.otherwise;
            for (auto const field : key.fields) t.*field = value;
        }
        reader.refuse_unknown_keys();
    }

    void read_energy(toml::table const& table, Standard& s) {
        TableReader reader(table, file_, mistakes_);
        auto const per_burst = [&](std::string_view key) {
            return sim::EnergyPerByte{quantity(reader, key, sim::dimension_of(sim::EnergyPerByte{}))} *
                   sim::Data{1.0 * s.organisation.burst_bytes};
        };
        s.energy.activate = sim::Energy{quantity(reader, "activate", sim::dimension_of(sim::Energy{}))};
        s.energy.read = per_burst("read");
        s.energy.write = per_burst("write");
        s.energy.transfer = per_burst("transfer");
        for (auto const& [key, field] :
             {std::pair{"refresh", &s.energy.refresh}, {"refresh_bank", &s.energy.refresh_bank}}) {
            if (reader.node(key) != nullptr)
                *field = sim::Energy{quantity(reader, key, sim::dimension_of(sim::Energy{}))};
        }
        (void)reader.text("source");
        reader.refuse_unknown_keys();
    }

    void read_density(Standard& s) {
        (void)top_.node("densities");
        bool found = false;
        for (auto const* entry : density_tables()) {
            TableReader reader(*entry, file_, mistakes_);
            if (small(reader, "gbit", {1, max_gbit}) != s.density_gbit) continue;
            if (found) reader.mistake("gbit", fmt::format("{} Gbit is listed twice", s.density_gbit));
            found = true;
            s.organisation.rows = small(reader, "rows", {1, 1 << 24});
            s.timing.nRFC = small(reader, "nRFC", cycles);
            if (sim::dram::row_of(s.family).refreshes_banks) s.timing.nRFCpb = small(reader, "nRFCpb", cycles);
            reader.refuse_unknown_keys();
        }
        if (!found)
            top_.mistake("densities", fmt::format("no density of {} Gbit (this set has {} Gbit)", s.density_gbit,
                                                  fmt::join(densities(), ", ")));
    }

    std::filesystem::path file_;
    std::shared_ptr<toml::table const> content_;
    std::vector<std::string> mistakes_;
    TableReader top_;
};

std::filesystem::path folder() { return data_directory() / "models" / "dram"; }

}  // namespace

std::filesystem::path dram_file(std::string_view name) {
    if (names_own_file(name)) return name;
    auto const path = folder() / (std::string(name) + ".toml");
    if (std::error_code none; !std::filesystem::exists(path, none)) {
        throw sim::InputError("unknown DRAM '{}' (pimdse list dram prints all).{}", sim::clipped(name),
                              sim::suggestion(name, dram_standard_names()));
    }
    return path;
}

std::vector<std::string> dram_standard_names() {
    std::vector<std::string> names;
    for (auto const& entry : std::filesystem::directory_iterator(folder())) {
        if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

sim::dram::Standard load_dram_file(std::filesystem::path const& file, int density_gbit) {
    auto const standard = StandardFile(file).read(density_gbit);
    (void)sim::dram::review(standard);
    return sim::dram::corrected(standard);
}

sim::dram::Standard load_dram_standard(std::string_view name, int density_gbit) {
    return load_dram_file(dram_file(name), density_gbit);
}

std::vector<int> dram_densities(std::string_view name) {
    StandardFile file(dram_file(name));
    (void)file.read(0);
    return file.densities();
}

sim::dram::Review review_dram_standard(std::string_view name) {
    return sim::dram::review(StandardFile(dram_file(name)).read(0));
}

}  // namespace pimdse::models
