#include "models/upmem/kernel.hpp"

#include "models/contract/parameter_text.hpp"
#include "models/contract/toml_file.hpp"
#include "sim/base/check.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

namespace pimdse::models::upmem {
namespace {

struct Limit {
    std::string_view name;  ///< without the suffix of its family
    double lower, upper;
};

/// Accepted ranges of the numbers, in SI units. Beyond them there is no such machine, or products would not fit 64
/// bits.
constexpr std::array limits{
    Limit{"start_cycles", -1.0, 1e12},     Limit{"steps_extra", -64.0, 64.0}, Limit{"element_bytes", 0.0, 0x1p20},
    Limit{"element_queries", 0.0, 1e6},    Limit{"layers", 1.0, 1e5},         Limit{"mac_bytes", 0.0, 0x1p10},
    Limit{"query", 0.0, 0x1p20},           Limit{"block_bytes", 0.0, 2048.0}, Limit{"column_tiles", 0.0, 0x1p20},
    Limit{"tile_rows", 0.0, 256.0},        Limit{"tile_columns", 0.0, 256.0}, Limit{"flag_bytes", 0.0, 2048.0},
    Limit{"mram_mask", 0.0, 4294967295.0}, Limit{"reads", 0.0, 64.0},         Limit{"row_macs", 0.0, 0x1p30},
    Limit{"rows_together", 0.0, 0x1p12},   Limit{"slots", 0.0, 1e9},          Limit{"step_bytes", 0.0, 0x1p20},
    Limit{"steps", 0.0, 0x1p10},           Limit{"writes", 0.0, 64.0},        Limit{"merge_fixed", 0.0, 0x1p16},
    Limit{"merge_share", 0.0, 1.0},        Limit{"merge_bytes", 0.0, 2048.0}, Limit{"merge_writes", 0.0, 1.0},
    Limit{"merge_slots", 0.0, 1e9}};

std::pair<double, double> limits_of(std::string_view name) {
    for (std::string_view const family : {"_hardware", "_upimulator"}) {
        if (name.ends_with(family)) name.remove_suffix(family.size());
    }
    for (auto const& limit : limits) {
        if (limit.name == name) return {limit.lower, limit.upper};
    }
    return {0.0, 1e12};
}

/// The table [numbers]: each entry has value, unit and source.
class Numbers {
  public:
    Numbers(toml::table const& table, std::filesystem::path const& file, std::vector<std::string>& mistakes)
        : reader_(table, file, mistakes), file_(file), mistakes_(mistakes) {}

    /// The value in SI units, within the limits of its name.
    [[nodiscard]] std::optional<double> maybe(std::string const& name) {
        auto const* node = reader_.node(name);
        if (node == nullptr) return std::nullopt;
        auto const* table = node->as_table();
        if (table == nullptr) {
            reader_.mistake(
                name, fmt::format("'{}' has no unit and no source (write a table with value, unit and source)", name));
            return std::nullopt;
        }
        double const value = read(*table);
        auto const [lower, upper] = limits_of(name);
        if (!(value >= lower && value <= upper))
            reader_.mistake(name, fmt::format("'{}' = {:g} is out of range (it must lie in {:g}..{:g})", name, value,
                                              lower, upper));
        return value;
    }

    void into(double& field, std::string const& name) { field = maybe(name).value_or(field); }

    /// `name` for both families, or one entry per family.
    void into(std::array<double, 2>& field, std::string const& name) {
        auto const both = maybe(name);
        if (both) field = {*both, *both};
        field[0] = maybe(name + "_hardware").value_or(field[0]);
        field[1] = maybe(name + "_upimulator").value_or(field[1]);
    }

    void finish() { reader_.refuse_unknown_keys(); }

  private:
    double read(toml::table const& table) {
        TableReader entry(table, file_, mistakes_);
        auto const unit = entry.text("unit");
        if (entry.text("source").empty()) entry.mistake("source", "'source' is empty (every number needs a source)");
        double const value = entry.number("value");
        (void)entry.text_or("note", "");
        entry.refuse_unknown_keys();
        try {
            return sim::in_si(value, sim::parse_unit(unit.empty() ? "1" : unit));
        } catch (sim::InputError const& error) {
            entry.mistake("unit", error.what());
            return value;
        }
    }

    TableReader reader_;
    std::filesystem::path file_;
    std::vector<std::string>& mistakes_;
};

void read_counts(ListingCounts& c, Numbers& numbers) {
    for (auto const& [field, name] : {std::pair{&ListingCounts::start, "start"},
                                      {&ListingCounts::skip, "skip"},
                                      {&ListingCounts::lead, "lead"},
                                      {&ListingCounts::loaded, "loaded"},
                                      {&ListingCounts::block, "block"},
                                      {&ListingCounts::element, "element"},
                                      {&ListingCounts::chunk, "chunk"},
                                      {&ListingCounts::last, "last"},
                                      {&ListingCounts::behind_writes, "behind_writes"},
                                      {&ListingCounts::end, "end"},
                                      {&ListingCounts::block_extras, "block_extras"},
                                      {&ListingCounts::element_extras, "element_extras"},
                                      {&ListingCounts::operands, "operands"},
                                      {&ListingCounts::row_changes, "row_changes"}})
        numbers.into(c.*field, std::string("listing_") + name);
}

void read_dealing(Kernel& k, Numbers& numbers) {
    numbers.into(k.query, "query");
    numbers.into(k.block_bytes, "block_bytes");
    numbers.into(k.column_tiles, "column_tiles");
    numbers.into(k.tile_rows, "tile_rows");
    numbers.into(k.tile_columns, "tile_columns");
    numbers.into(k.look_slots, "look_slots");
    numbers.into(k.move_slots, "move_slots");
    numbers.into(k.look_locked, "look_locked");
    numbers.into(k.move_locked, "move_locked");
    numbers.into(k.flag_bytes, "flag_bytes");
}

void read_numbers(Kernel& k, Numbers& numbers) {
    read_counts(k.counts, numbers);
    numbers.into(k.element_bytes, "element_bytes");
    numbers.into(k.input_bytes, "input_bytes");
    numbers.into(k.output_bytes, "output_bytes");
    numbers.into(k.mram_bytes, "mram_bytes");
    numbers.into(k.shared_bytes, "shared_bytes");
    numbers.into(k.shared_fixed, "shared_fixed");
    numbers.into(k.output_fixed, "output_fixed");
    numbers.into(k.mram_fixed, "mram_fixed");
    numbers.into(k.input_arrays, "input_arrays");
    numbers.into(k.input_calls, "input_calls");
    numbers.into(k.output_calls, "output_calls");
    k.output_serial = numbers.maybe("output_serial").value_or(0.0) != 0.0;
    numbers.into(k.slots, "slots");
    numbers.into(k.instructions, "instructions");
    numbers.into(k.row_overhead, "row_overhead");
    numbers.into(k.block_overhead, "block_overhead");
    numbers.into(k.block_hazards, "block_hazards");
    numbers.into(k.fixed_slots, "fixed_slots");
    numbers.into(k.reads, "reads");
    numbers.into(k.writes, "writes");
    numbers.into(k.write_fraction, "write_fraction");
    numbers.into(k.wram_blocks, "wram_blocks");
    numbers.into(k.wram_bytes, "wram_bytes");
    numbers.into(k.start_cycles, "start_cycles");
    numbers.into(k.serial_slots, "serial_slots");
    k.equal_shares = numbers.maybe("equal_shares").value_or(0.0) != 0.0;
    numbers.into(k.layers, "layers");
    numbers.into(k.row_macs, "row_macs");
    numbers.into(k.mac_bytes, "mac_bytes");
    numbers.into(k.rows_together, "rows_together");
    numbers.into(k.element_queries, "element_queries");
    numbers.into(k.steps, "steps");
    numbers.into(k.step_bytes, "step_bytes");
    numbers.into(k.steps_extra, "steps_extra");
    read_dealing(k, numbers);
    numbers.into(k.host_elements, "host_elements");
    numbers.into(k.merge_fixed, "merge_fixed");
    numbers.into(k.merge_share, "merge_share");
    numbers.into(k.merge_bytes, "merge_bytes");
    numbers.into(k.merge_writes, "merge_writes");
    numbers.into(k.merge_slots, "merge_slots");
    numbers.into(k.launch, "launch");
    numbers.into(k.exchange, "exchange");
    numbers.into(k.mram_mask, "mram_mask");
}

WorkShape read_shape(TableReader& reader) {
    static std::vector<std::string> const names{"stream", "even", "rows", "layers", "search", "profile", "tiles"};
    auto const text = reader.text("shape");
    auto const found = std::find(names.begin(), names.end(), text);
    if (found != names.end()) return static_cast<WorkShape>(found - names.begin());
    reader.mistake("shape", fmt::format("unknown shape '{}'.{}", text, sim::suggestion(text, names)));
    return WorkShape::stream;
}

std::string read_listing(std::filesystem::path const& file, TableReader& reader) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        reader.mistake("listing", sim::cannot_be_read(file.string(), "it must be in the folder of the kernel file"));
        return "";
    }
    std::ostringstream content;
    content << stream.rdbuf();
    return std::string(sim::without_byte_order_mark(content.view()));
}

std::vector<std::string> read_arguments(TableReader& reader) {
    std::vector<std::string> words;
    auto const* node = reader.node("arguments");
    if (node == nullptr) return words;
    auto const* list = node->as_array();
    if (list == nullptr) {
        reader.mistake("arguments", "'arguments' is not a list of names");
        return words;
    }
    for (auto const& word : *list) words.push_back(word.value_or<std::string>(""));
    return words;
}

/// Requires the numbers that the shape needs; a kernel without them would be computed as zero work.
void check_shape(Kernel const& k, TableReader& reader) {
    auto need = [&](bool there, std::string_view name) {
        if (!there)
            reader.mistake("numbers",
                           fmt::format("kernel '{}' has no positive '{}' (its shape needs it)", k.name, name));
    };
    need(k.slots[0] > 0 && k.slots[1] > 0, "slots_hardware and slots_upimulator");
    if (k.shape == WorkShape::stream || k.shape == WorkShape::even) need(k.element_bytes > 0, "element_bytes");
    if (k.shape == WorkShape::rows) need(k.row_macs > 0, "row_macs");
    if (k.shape == WorkShape::rows || k.shape == WorkShape::layers) need(k.mac_bytes > 0, "mac_bytes");
    if (k.shape == WorkShape::search) need(k.element_queries > 0, "element_queries");
    if (k.shape == WorkShape::profile) {
        double const pieces = k.block_bytes > 0 ? k.query * k.element_bytes / k.block_bytes : 0.0;
        need(pieces > 0 && pieces <= 16 && pieces == std::trunc(pieces),
             "query, element_bytes and block_bytes, 1 to 16 blocks a query");
    }
    if (k.shape == WorkShape::tiles) {
        double const bytes = k.tile_rows * k.tile_columns * k.element_bytes;
        need(bytes > 0 && bytes <= 2048 && k.column_tiles > 0 && k.flag_bytes > 0,
             "column_tiles, tile_rows, tile_columns, element_bytes and flag_bytes, tiles up to 2,048 B");
    }
    if (k.merges() && (k.merge_slots[0] <= 0.0 || k.merge_slots[1] <= 0.0))
        reader.mistake("numbers", fmt::format("kernel '{}' has merge_bytes and no positive merge_slots_hardware and "
                                              "merge_slots_upimulator (an addition takes slots)",
                                              k.name));
    need(k.write_fraction > 0 && k.write_fraction <= 1, "write_fraction up to 1");
}

std::filesystem::path kernel_folder() { return data_directory() / "models" / "upmem" / "kernels"; }

}  // namespace

std::filesystem::path kernel_file(std::string const& name) {
    return names_own_file(name) ? std::filesystem::path(name) : kernel_folder() / (name + ".toml");
}

std::vector<std::string> kernel_names() {
    std::vector<std::string> names;
    std::error_code error;
    for (auto const& entry : std::filesystem::directory_iterator(kernel_folder(), error)) {
        if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

Kernel load_kernel(std::filesystem::path const& file) {
    auto const read = read_toml(file);
    auto const& content = *read;
    std::vector<std::string> mistakes;
    TableReader reader(content, file, mistakes);
    Kernel kernel;
    kernel.name = file.stem().string();
    kernel.title = reader.text("title");
    kernel.source = reader.text("source");
    kernel.size = reader.text_or("size", "elements");
    kernel.sync = reader.text_or("sync", "none");
    kernel.shape = read_shape(reader);
    kernel.calibrated = reader.flag_or("calibrated", false);
    kernel.one_stream = reader.text_or("streams", "many") == "one";
    auto const listing = reader.text_or("listing", "");
    kernel.listing_file = listing;
    kernel.arguments = read_arguments(reader);
    if (!listing.empty()) kernel.listing = read_listing(file.parent_path() / listing, reader);
    kernel.shifts = kernel.listing.find("LOG2_BLOCK") != std::string::npos;
    auto const* node = reader.node("numbers");
    if (node != nullptr && node->is_table()) {
        Numbers numbers(*node->as_table(), file, mistakes);
        read_numbers(kernel, numbers);
        numbers.finish();
        check_shape(kernel, reader);
    } else {
        reader.mistake("numbers", "the table [numbers] is missing (it states the costs of the kernel)");
    }
    reader.refuse_unknown_keys();
    if (!mistakes.empty()) throw sim::InputError(mistakes);
    return kernel;
}

}  // namespace pimdse::models::upmem
