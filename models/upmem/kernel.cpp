#include "models/upmem/kernel.hpp"

#include "models/contract/parameter_text.hpp"
#include "models/contract/toml_file.hpp"
#include "sim/base/check.hpp"
#include "sim/base/file_text.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>
#include <algorithm>
#include <cmath>
#include <optional>

namespace pimdse::models::upmem {
/// Each entry has value, unit and source.
class KernelTable {
  public:
    KernelTable(toml::table const& table, std::filesystem::path const& file, std::vector<std::string>& mistakes)
        : reader_(table, file, mistakes), file_(file), mistakes_(mistakes) {}

    [[nodiscard]] std::optional<double> find(std::string const& name, NumberLimits limits) {
        auto const* node = reader_.node(name);
        if (node == nullptr) return std::nullopt;
        auto const* table = node->as_table();
        if (table == nullptr) {
            reader_.mistake(
                name, fmt::format("'{}' has no unit and no source (write a table with value, unit and source)", name));
            return std::nullopt;
        }
        double const value = read(*table);
        if (!(value >= limits.lower && value <= limits.upper))
            reader_.mistake(name, fmt::format("'{}' = {:g} is out of range (it must lie in {:g}..{:g})", name, value,
                                              limits.lower, limits.upper));
        return value;
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

double KernelNumbers::number(std::string const& name, NumberLimits limits, double usual) const {
    return table_ == nullptr ? usual : table_->find(name, limits).value_or(usual);
}

namespace {

constexpr std::array<std::string_view, 7> shapes{"stream", "even", "rows", "layers", "search", "profile", "tiles"};

std::string read_listing(std::filesystem::path const& file, TableReader& reader) {
    auto const text = sim::file_text(file);
    if (!text)
        reader.mistake("listing", sim::cannot_be_read(file.string(), "it must be in the folder of the kernel file"));
    return std::string(sim::without_byte_order_mark(text.value_or("")));
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
    auto const* const numbers = reader.node("numbers");
    bool const given = numbers != nullptr && numbers->is_table();
    toml::table const none;
    KernelTable entries(given ? *numbers->as_table() : none, file, mistakes);
    Kernel kernel{&entries,
                  file.stem().string(),
                  reader.text("title"),
                  reader.text("source"),
                  reader.text_or("size", "elements"),
                  reader.text_or("sync", "none"),
                  reader.choice<WorkShape>("shape", shapes),
                  reader.flag_or("calibrated", false),
                  reader.text_or("streams", "many") == "one"};
    entries.finish();
    auto const listing = reader.text_or("listing", "");
    kernel.listing_file = listing;
    kernel.arguments = read_arguments(reader);
    if (!listing.empty()) kernel.listing = read_listing(file.parent_path() / listing, reader);
    kernel.shifts = kernel.listing.find("LOG2_BLOCK") != std::string::npos;
    if (given)
        check_shape(kernel, reader);
    else
        reader.mistake("numbers", "the table [numbers] is missing (it states the costs of the kernel)");
    reader.refuse_unknown_keys();
    if (!mistakes.empty()) throw sim::InputError(mistakes);
    return kernel;
}

}  // namespace pimdse::models::upmem
