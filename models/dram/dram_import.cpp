#include "models/dram/dram_import.hpp"

#include "models/contract/toml_file.hpp"
#include "models/dram/dram_standard.hpp"
#include "sim/base/check.hpp"
#include "sim/base/flat_settings.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace pimdse::models {
namespace {

using sim::FlatSettings;
using sim::InputError;

constexpr double ns_per_s = 1'000'000'000, bits_per_byte = 8, kilo = 1000;

/// What a file says; counts and cycles by our keys.
struct FoundSet {
    std::string program, standard, family, base;  ///< base: the shipped set that has what is missing
    bool same_base = false;                       ///< the file names the preset of the base
    std::optional<double> clock_ns, data_rate, gbit, rows, nRFC, nRFCpb;
    std::map<std::string, double> organisation, timing;
    std::vector<std::string> energy;  ///< lines of [energy]
};

/// What becomes of a standard: the family whose rules of commands it has, and the shipped set with what is missing.
struct Kinship {
    std::string_view standard, family, base;
    int transfers = 2;    ///< of a pin in a clock
    double prefetch = 1;  ///< transfers of a column as DRAMsim3 counts columns; 0: the length of a burst
};

Kinship const& kin_of(std::string const& standard, std::string const& file) {
    static constexpr std::array kin{Kinship{"DDR4", "DDR4", "D4_2400"},
                                    Kinship{"LPDDR5", "LPDDR5", "L5J", 8},
                                    Kinship{"HBM", "HBM2", "HBM2_2000", 2, 2},
                                    Kinship{"HBM2", "HBM2", "HBM2_2000", 2, 2},
                                    Kinship{"HBM3", "HBM2", "HBM2_2000", 2, 2},
                                    Kinship{"GDDR5", "GDDR6", "gddr6_aim", 4, 0},
                                    Kinship{"GDDR5X", "GDDR6", "gddr6_aim", 8, 0},
                                    Kinship{"GDDR6", "GDDR6", "gddr6_aim", 16, 0}};
    auto const* found = std::ranges::find(kin, standard, &Kinship::standard);
    if (found != kin.end()) return *found;
    std::vector<std::string_view> names;
    for (auto const& entry : kin) names.push_back(entry.standard);
    throw InputError("{}: {} cannot be imported ({} can)", file, sim::clipped(standard), fmt::join(names, ", "));
}

/// Takes the family and the base of a standard.
Kinship const& take_kin(std::string const& standard, std::string const& file, FoundSet& found) {
    auto const& kin = kin_of(standard, file);
    found.standard = standard;
    found.family = kin.family;
    found.base = kin.base;
    return kin;
}

void put_if(std::map<std::string, double>& to, char const* key, std::optional<double> value) {
    if (value) to[key] = *value;
}

double needed(FlatSettings const& settings, std::string const& path, std::optional<double> value) {
    if (!value) throw InputError("{}: {} is missing", settings.file(), path);
    return *value;
}

double needed_count(FlatSettings& settings, std::string const& path) {
    return needed(settings, path, settings.count(path));
}

/// Energy of a rank by its currents (Micron TN-40-07, as DRAMsim3 counts it): mA x V x ns = pJ.
void add_energy(FlatSettings& settings, double clock, double burst, FoundSet& found) {
    double const bus = needed_count(settings, "system.bus_width"), burst_bits = burst * bus;
    double const devices = bus / needed_count(settings, "dram_structure.device_width");
    auto const of = [&](char const* key) { return settings.number(fmt::format("power.{}", key)); };
    auto const volt = of("VDD"), idle = of("IDD3N"), closed = of("IDD2N"), row = of("IDD0"), read = of("IDD4R"),
               write = of("IDD4W"), refresh = of("IDD5AB");
    if (!volt || !idle || !closed || !row || !read || !write) return;
    auto const& t = found.timing;
    double const cycle = t.at("nRAS") + t.at("nRP"), scale = *volt * clock * devices;
    double const picojoules = scale * (*row * cycle - *idle * t.at("nRAS") - *closed * t.at("nRP"));
    auto const per_bit = [&](double current) { return scale * (current - *idle) * t.at("nBL") / burst_bits; };
    found.energy = {fmt::format("activate = \"{:.6g} pJ\"", picojoules),
                    fmt::format("read     = \"{:.6g} pJ/bit\"", per_bit(*read)),
                    fmt::format("write    = \"{:.6g} pJ/bit\"", per_bit(*write)),
                    "transfer = \"0 pJ/bit\"   # not in the file: energy of the pins is missing"};
    if (refresh && found.nRFC)
        found.energy.push_back(fmt::format("refresh  = \"{:.6g} pJ\"", scale * (*refresh - *idle) * *found.nRFC));
    found.energy.emplace_back("source   = \"currents of the file, of all devices of a rank\"");
}

void add_organisation(FlatSettings& settings, double burst, double prefetch, FoundSet& found) {
    double const width = needed_count(settings, "dram_structure.device_width"),
                 bus = needed_count(settings, "system.bus_width");
    double const groups = needed_count(settings, "dram_structure.bankgroups"),
                 banks = needed_count(settings, "dram_structure.banks_per_group");
    double const rows = needed_count(settings, "dram_structure.rows"),
                 columns = needed_count(settings, "dram_structure.columns") * (prefetch > 0.0 ? prefetch : burst);
    double const row_bytes = columns * bus / bits_per_byte;
    double const rank_mib = row_bytes * rows * groups * banks / std::exp2(20);
    found.rows = rows;
    found.gbit = std::round(rows * columns * width * groups * banks / std::exp2(30));
    found.organisation = {{"bank_groups", groups},
                          {"banks", banks},
                          {"row_bytes", row_bytes},
                          {"burst_bytes", burst * bus / bits_per_byte},
                          {"channel_bits", bus}};
    put_if(found.organisation, "channels", settings.count("system.channels"));
    if (auto const size = settings.count("system.channel_size"))
        found.organisation["ranks"] = std::max(1.0, std::round(*size / rank_mib));
}

FoundSet found_in_dramsim3(FlatSettings& settings) {
    FoundSet found;
    found.program = "DRAMsim3";
    auto const& kin = take_kin(settings.text("dram_structure.protocol").value_or(""), settings.file(), found);
    auto const base = read_toml(dram_file(found.base));
    auto const timing = [&](std::vector<std::string> names) {
        for (auto& name : names) name = "timing." + name;
        return settings.first_count(names);
    };
    double const clock = needed(settings, "timing.tCK", settings.number("timing.tCK")),
                 burst = needed_count(settings, "dram_structure.BL");
    double const added = timing({"AL"}).value_or(0.0);
    found.clock_ns = clock;
    found.data_rate = kin.transfers * kilo / clock;
    auto& t = found.timing;
    t["nBL"] = std::max(1.0, burst / kin.transfers);
    t["nCL"] = needed_count(settings, "timing.CL") + added;
    t["nCWL"] = needed_count(settings, "timing.CWL") + added;
    t["nRP"] = needed_count(settings, "timing.tRP");
    t["nRAS"] = needed_count(settings, "timing.tRAS");
    t["nRC"] = t["nRAS"] + t["nRP"];
    for (auto const& [key, names] :
         std::vector<std::pair<char const*, std::vector<std::string>>>{{"nRCD", {"tRCD"}},
                                                                       {"nRCDRD", {"tRCDRD", "tRCD"}},
                                                                       {"nRCDWR", {"tRCDWR", "tRCD"}},
                                                                       {"nWR", {"tWR"}},
                                                                       {"nRTP", {"tRTP", "tRTP_L"}},
                                                                       {"nCCDS", {"tCCD_S"}},
                                                                       {"nCCDL", {"tCCD_L"}},
                                                                       {"nRRDS", {"tRRD_S"}},
                                                                       {"nRRDL", {"tRRD_L"}},
                                                                       {"nFAW", {"tFAW"}},
                                                                       {"nWTRS", {"tWTR_S"}},
                                                                       {"nWTRL", {"tWTR_L"}},
                                                                       {"nCS", {"tRTRS"}},
                                                                       {"nREFI", {"tREFI"}},
                                                                       {"nREFIpb", {"tREFIb"}},
                                                                       {"nRREFD", {"tRREFD"}}})
        if (auto const name = std::string(key); (*base)["timing"][name]) put_if(t, key, timing(names));
    for (auto const* key : {"nCCDS", "nCCDL"})  // bursts do not overlap, whatever the file says
        if (auto const given = t.find(key); given != t.end()) given->second = std::max(given->second, t["nBL"]);
    found.nRFC = timing({"tRFC"});
    if ((*base)["timing"]["nREFIpb"]) found.nRFCpb = timing({"tRFCb"});
    add_organisation(settings, burst, kin.prefetch, found);
    add_energy(settings, clock, burst, found);
    return found;
}

/// The shipped set whose source names a preset of Ramulator; "" if there is none.
std::string set_of_preset(std::string const& preset) {
    for (auto const& name : dram_standard_names())
        if ((*read_toml(dram_file(name)))["source"].value_or(std::string()).starts_with(preset + " ")) return name;
    return "";
}

/// The numbers of a preset of Ramulator for which no timing set is shipped; empty if they are unknown.
std::map<std::string, double> numbers_of_preset(std::string const& preset) {
    std::map<std::string, double> numbers;
    auto const file = read_toml(data_directory() / "models" / "dram" / "presets" / "ramulator.toml");
    if (auto const* table = (*file)[preset].as_table())
        for (auto const& [key, value] : *table)
            if (value.is_integer()) numbers[std::string(key.str())] = value.value_or(0.0);
    return numbers;
}

/// Our name of a number, and others that Ramulator has for it.
std::vector<std::string> ramulator_names_of(std::string const& key) {
    static std::map<std::string, std::vector<std::string>> const others{
        {"nRTP", {"nRTPL", "nRTPS"}}, {"nRCDRD", {"nRCD"}},     {"nRCDWR", {"nRCDWD", "nRCD"}},
        {"nRFCpb", {"nRFCSB"}},       {"nREFIpb", {"nREFISB"}}, {"nRFC", {"nRFC1", "nRFCab"}}};
    std::vector<std::string> names{key};
    if (auto const more = others.find(key); more != others.end())
        names.insert(names.end(), more->second.begin(), more->second.end());
    return names;
}

FoundSet found_in_ramulator(FlatSettings& settings, std::string const& path) {
    FoundSet found;
    found.program = "Ramulator 2";
    auto const& kin = take_kin(settings.text(path + ".impl").value_or(""), settings.file(), found);
    auto const preset = settings.text(path + ".timing.preset");
    std::map<std::string, double> of_preset;
    if (preset) {
        auto const set = set_of_preset(*preset);
        if (set.empty()) of_preset = numbers_of_preset(*preset);
        if (set.empty() && of_preset.empty() && !settings.has(path + ".timing.nCL"))
            throw InputError(
                "{}: the numbers of preset {} are in the source of Ramulator, not in this file. Add "
                "them to timing (nCL, nRCD, ...)?",
                settings.file(), *preset);
        found.same_base = !set.empty();
        if (!set.empty()) found.base = set;
    }
    auto const timing = [&](std::string const& key) {
        std::optional<double> value;
        for (auto const& name : ramulator_names_of(key)) {
            if (!value) value = settings.count(path + ".timing." + name);
            if (auto const known = of_preset.find(name); !value && known != of_preset.end()) value = known->second;
        }
        return value;
    };
    auto const base = read_toml(dram_file(found.base));
    for (auto const& [key, _] : *(*base)["timing"].as_table())
        put_if(found.timing, std::string(key.str()).c_str(), timing(std::string(key.str())));
    found.data_rate = timing("rate");
    if (auto const ps = timing("tCK_ps"))
        found.clock_ns = *ps / kilo;
    else if (found.data_rate)
        found.clock_ns = (kin.family == "LPDDR5" ? kin.transfers : 2) * kilo / *found.data_rate;
    found.nRFC = timing("nRFC");
    if ((*base)["timing"]["nREFIpb"]) found.nRFCpb = timing("nRFCpb");
    auto const organisation = [&](std::string const& key) { return settings.count(path + ".org." + key); };
    for (auto const& [ours, theirs] :
         std::vector<std::pair<char const*, char const*>>{{"channels", "channel"},
                                                          {"ranks", "rank"},
                                                          {"bank_groups", "bankgroup"},
                                                          {"banks", "bank"},
                                                          {"channel_bits", "channel_width"}})
        put_if(found.organisation, ours, organisation(theirs));
    if (found.family == "HBM2") put_if(found.organisation, "ranks", organisation("pseudochannel"));
    found.rows = organisation("row");
    if (auto const density = organisation("density")) found.gbit = *density / std::exp2(10);
    auto const chosen = settings.text(path + ".org.preset").value_or("");
    auto const words = sim::words_of(chosen, '_');
    if (words.size() >= 2 && words[1].ends_with("Gb"))
        found.gbit = sim::parse_quantity(words[1].substr(0, words[1].size() - 2)).si;
    if (found.family == "DDR4" && words.size() >= 3 && words[2] == "x16" && !found.organisation.contains("bank_groups"))
        found.organisation["bank_groups"] = 2;
    return found;
}

/// Writes the set, with the numbers of its base where the file has none.
class SetWriter {
  public:
    SetWriter(FoundSet found, std::string name, FlatSettings& settings)
        : found_(std::move(found)),
          name_(std::move(name)),
          settings_(settings),
          base_(read_toml(dram_file(found_.base))) {
        double const base_clock =
            sim::parse_quantity((*base_)["clock"]["tCK"].value_or(std::string("1 ns"))).si * ns_per_s;
        clock_ = found_.clock_ns.value_or(base_clock);
        scale_ = base_clock / clock_;
    }

    std::string text() {
        std::string timing, organisation, energy;
        for (auto const& [key, value] : *(*base_)["organisation"].as_table())
            organisation += line(std::string(key.str()), found_.organisation, value.value_or(0.0), false);
        for (auto const& [key, value] : *(*base_)["timing"].as_table())
            timing += line(std::string(key.str()), found_.timing, value.value_or(0.0), true);
        auto const density = density_lines();
        if (!found_.energy.empty())
            energy = fmt::format("\n[energy]\n{}\n", fmt::join(found_.energy, "\n"));
        else
            missing_.emplace_back("energy (joules of this set are 0)");
        double const rate = found_.data_rate.value_or((*base_)["clock"]["data_rate"].value_or(0.0));
        auto head = fmt::format("# {}, imported from {} ({})\n", name_,
                                std::filesystem::path(settings_.file()).filename().string(), found_.program);
        auto const list = [&](char const* what, std::vector<std::string> const& names) {
            if (!names.empty()) head += fmt::format("# {}: {}\n", what, fmt::join(names, ", "));
        };
        list(found_.same_base ? "as in the preset, which is the set of this name that comes with the program"
                              : "not in the file, so as in the set that comes with the program, in ns",
             missing_);
        list("of the file, not used", settings_.unused());
        if (found_.standard != found_.family)
            head +=
                fmt::format("# commands follow the rules of {}, which is next to {}\n", found_.family, found_.standard);
        return head + fmt::format(
                          "name      = \"{}\"\nfamily    = \"{}\"\nsource    = \"{} of {}; what it lacks is of {}\"\n"
                          "reference = false\ndensity   = {}\n\n[clock]\ntCK       = \"{} ns\"\ndata_rate = {}\n\n"
                          "[organisation]\n{}\n[timing]                 # cycles of tCK\n{}\n{}{}",
                          name_, found_.family, std::filesystem::path(settings_.file()).filename().string(),
                          found_.program, found_.base, density.first, clock_, rate, organisation, timing,
                          density.second, energy);
    }

  private:
    std::string line(std::string const& key, std::map<std::string, double> const& from, double base, bool in_time) {
        auto const given = from.find(key);
        // Bursts and distances of column commands are counts of clocks, whatever the clock.
        bool const counted = !in_time || key.starts_with("nBL") || key == "nCCDS";
        double const value = given != from.end() ? given->second
                             : counted           ? base
                                                 : std::ceil(base * scale_ - 1 / ns_per_s);
        if (given == from.end()) missing_.push_back(fmt::format("{} = {}", key, value));
        return fmt::format("{:<12} = {}\n", key, std::llround(value));
    }
    /// The density of a die, and its [[densities]].
    std::pair<std::int64_t, std::string> density_lines() {
        auto const gbit = std::llround(found_.gbit.value_or((*base_)["density"].value_or(0.0)));
        toml::table const* nearest = nullptr;
        for (auto const& entry : *(*base_)["densities"].as_array())
            if (nearest == nullptr || entry.as_table()->get("gbit")->value_or(std::int64_t{0}) <= gbit)
                nearest = entry.as_table();
        auto const of = [&](char const* key, std::optional<double> given, double scale) {
            auto const* written = nearest->get(key);
            if (written == nullptr) return std::string();
            double const value = given.value_or(std::ceil(written->value_or(0.0) * scale - 1 / ns_per_s));
            if (!given) missing_.push_back(fmt::format("{} = {}", key, value));
            return fmt::format("{:<12} = {}\n", key, std::llround(value));
        };
        return {gbit, fmt::format("[[densities]]\ngbit         = {}\n{}{}{}", gbit, of("rows", found_.rows, 1.0),
                                  of("nRFC", found_.nRFC, scale_), of("nRFCpb", found_.nRFCpb, scale_))};
    }

    FoundSet found_;
    std::string name_;
    FlatSettings& settings_;
    std::shared_ptr<toml::table const> base_;
    double clock_ = 1.0, scale_ = 1.0;
    std::vector<std::string> missing_;
};

}  // namespace

std::string imported_dram(std::filesystem::path const& file, std::string const& name) {
    FlatSettings settings(file);
    if (settings.has("dram_structure")) return SetWriter(found_in_dramsim3(settings), name, settings).text();
    for (auto const* path : {"MemorySystem.DRAM", "DRAM"})
        if (settings.has(path)) return SetWriter(found_in_ramulator(settings, path), name, settings).text();
    throw InputError(
        "{}: is neither a configuration of DRAMsim3 (it has no [dram_structure]) nor of Ramulator 2 "
        "(it has no DRAM)",
        file.string());
}

}  // namespace pimdse::models
