#include "models/text/machine_import.hpp"

#include "models/contract/toml_file.hpp"
#include "sim/base/check.hpp"
#include "sim/base/flat_settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <vector>

namespace pimdse::models::text {
namespace {

using sim::FlatSettings;
using sim::InputError;

/// A figure of a file and the constant of a board that it is.
struct ImportedFigure {
    std::string path;
    char const* constant;
    double size;  ///< of the file's unit, in `unit`
    char const* unit;
};

constexpr double giga = 1'000'000'000, tera = 1000 * giga;
double const gibi = std::exp2(30);

std::vector<ImportedFigure> figures_of_aiconfigurator() {
    return {{"gpu.mem_bw", "bandwidth", 1 / giga, "GB/s"},
            {"gpu.mem_bw_empirical_scaling_factor", "bandwidth_share", 1.0, "1"},
            {"gpu.mem_capacity", "memory", 1 / gibi, "GiB"},
            {"gpu.bfloat16_tc_flops", "fp16_peak", 1 / tera, "TFLOP/s"},
            {"gpu.float16_tc_flops", "fp16_peak", 1 / tera, "TFLOP/s"},
            {"gpu.int8_tc_flops", "int8_peak", 1 / tera, "TFLOP/s"},
            {"gpu.fp8_tc_flops", "fp8_peak", 1 / tera, "TFLOP/s"},
            {"gpu.power", "max_power", 1.0, "W"},
            {"node.intra_node_bw", "nvlink", 1 / giga, "GB/s"},
            {"node.num_gpus_per_node", "nvlink_devices", 1.0, "1"}};
}

std::vector<ImportedFigure> figures_of_cluster(std::string const& instance) {
    return {{instance + ".npu_mem.mem_size", "memory", 1.0, "GiB"},
            {instance + ".npu_mem.mem_bw", "bandwidth", 1.0, "GB/s"}};
}

/// "RTX4090" for rtx_4090.
std::string letters_of(std::string_view name) {
    std::string text;
    for (unsigned char const c : name)
        if (std::isalnum(c) != 0) text += static_cast<char>(std::toupper(c));
    return text;
}

std::vector<std::string> boards() {
    std::vector<std::string> names;
    for (auto const& entry : std::filesystem::directory_iterator(data_directory() / "models" / "machines"))
        if (entry.path().extension() == ".toml" && read_toml(entry.path())->get("base") != nullptr)
            names.push_back(entry.path().stem().string());
    std::ranges::sort(names);
    return names;
}

std::string board_named(std::string const& hardware, std::string const& otherwise) {
    for (auto const& board : boards())
        if (!hardware.empty() && letters_of(hardware).find(letters_of(board)) != std::string::npos) return board;
    return otherwise;
}

}  // namespace

std::string imported_machine(std::filesystem::path const& file, std::string const& name) {
    FlatSettings settings(file);
    auto const own_name = file.filename().string();
    std::string program, board, constants;
    std::vector<ImportedFigure> figures;
    constexpr char const* instance = "nodes.0.instances.0";
    if (settings.has("gpu.mem_bw")) {
        program = "AIConfigurator";
        board = board_named(file.stem().string(), settings.has("gpu.fp8_tc_flops") ? "h100" : "a100");
        figures = figures_of_aiconfigurator();
    } else if (settings.has(std::string(instance) + ".npu_mem")) {
        program = "LLMServingSim";
        board = board_named(settings.text(std::string(instance) + ".hardware").value_or(""), "h100");
        figures = figures_of_cluster(instance);
    } else {
        throw InputError(
            fmt::format("{}: is neither a system of AIConfigurator (it has no gpu.mem_bw) nor a cluster of "
                        "LLMServingSim (it has no nodes with instances and npu_mem)",
                        file.string()));
    }
    auto const base = read_toml(data_directory() / "models" / "machines" / (board + ".toml"));
    auto const* known = base->get_as<toml::table>("constant");
    std::vector<std::string> taken;
    for (auto const& figure : figures) {
        if (known == nullptr || !known->contains(figure.constant)) continue;
        auto const value = settings.number(figure.path);
        if (!value || std::ranges::find(taken, figure.constant) != taken.end()) continue;
        if (!(*value > 0.0))
            throw InputError(fmt::format("{}: {} = {} is not above 0", file.string(), figure.path, *value));
        taken.emplace_back(figure.constant);
        constants += fmt::format("\n[constant.{}]\nvalue = {}\nunit = \"{}\"\nsource = \"{} of {}\"\n", figure.constant,
                                 *value * figure.size, figure.unit, figure.path, own_name);
    }
    std::vector<std::string> missing;
    if (known != nullptr)
        for (auto const& [key, _] : *known)
            if (std::ranges::find(taken, key.str()) == taken.end()) missing.emplace_back(key.str());
    return fmt::format(
        "# {}, from {} ({}).\n# As the board {}, because the file does not say it: {}\n# Of the file, not "
        "used: {}\nschema  = 1\nname    = \"{}\"\nsummary = \"{} with figures of {}\"\nbase    = \"{}\"\n{}",
        name, own_name, program, board, fmt::join(missing, ", "), fmt::join(settings.unused(), ", "), name, board,
        own_name, board, constants);
}

}  // namespace pimdse::models::text
