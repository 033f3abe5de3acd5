#pragma once

#include "models/contract/constant.hpp"
#include "models/contract/ledger.hpp"
#include "models/contract/metric.hpp"
#include "models/contract/parameter.hpp"
#include "models/text/number_range.hpp"
#include "sim/base/quantity_text.hpp"

#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// A machine file as written: names and texts, before expressions are compiled. docs/own_machine.md is its reference.
namespace pimdse::models::text {

/// A number as written: an expression of parameters, constants and numbers of components.
struct WrittenNumber {
    std::string name;  ///< as other expressions use it: "hbm.bandwidth"
    std::string text;
    sim::Dimension dimension;
    std::string place;   ///< "file.toml:12"
    std::string source;  ///< "" if none is given beside it
    bool assumed = false;
    NumberRange range = NumberRange::any;
    double lowest = 0.0, highest = 0.0;  ///< factors of an assumed number; both 0: none are stated
};

/// A memory or a unit. Its numbers are in MachineFile::numbers, as "NAME.KEY".
struct Component {
    std::string name, kind, place;
    std::map<std::string, std::string> texts;  ///< keys with texts: "timing", "memory", "buffer"
    std::vector<std::string> energies;         ///< rows of the ledger with a number "NAME.energy.ROW"
    std::vector<std::string> write_energies;   ///< the same for "NAME.write_energy.ROW", where writing differs
    [[nodiscard]] std::string of(std::string_view key) const { return name + "." + std::string(key); }
};

/// By what a pass chooses among the components that a rule names.
enum class Choose : std::uint8_t { nothing, time, energy };

/// Which component does an operator. docs/own_machine.md, "Operators".
struct WrittenRule {
    std::string pattern, place;
    std::string on;          ///< a compute component; "" if the operator only waits or is free
    std::string free;        ///< why it costs nothing; "" if it costs something
    std::string name;        ///< of its time in an explanation; "": that of the operators
    bool together = false;   ///< operators of a pass that match share one roof, as if they ran beside each other
    std::string beside;      ///< pattern of a rule `together` whose roof its operators share, on another unit
    bool masked = false;     ///< scores that a causal mask hides are computed as well
    bool per_token = false;  ///< products of a prompt are computed token by token
    bool continues = false;  ///< what a component does after that of the rule before, for the same operators
    Choose choose = Choose::nothing;  ///< of the first of several components, of which each pass takes one
    bool alternative = false;         ///< one of these components, after the first
    std::string number;               ///< prefix of its numbers: "run.3" with the keys of a rule
};

/// A condition that feasible designs meet, and the sentence for those that do not.
struct WrittenLimit {
    std::string name, condition, reason, place;
};

/// A metric of the machine's own.
struct WrittenMetric {
    Metric metric;
    std::string number;  ///< of MachineFile::numbers
    std::string place;
};

/// A row of the ledger that no component has.
struct WrittenEntry {
    std::string row, why;
    Account account = Account::none;
    std::string number;  ///< of an area; "" otherwise
};

struct MachineFile {
    std::filesystem::path file;
    std::string name, summary;
    std::vector<std::pair<std::string, Value>> defaults;  ///< of parameters of a request, if not those of all machines
    int results_version = 1;
    std::vector<Parameter> parameters;
    /// Constants by name. Those of a variant are named VARIANT_NAME; an expression reads NAME, of the chosen one.
    std::map<std::string, Constant, std::less<>> constants;
    /// Constants of parts with the name of a parameter: expressions read them as "constant.NAME".
    std::set<std::string, std::less<>> prefixed;
    std::string chosen_parameter;       ///< the parameter of which this machine is a variant; "" if it is none
    std::string variant_parameter;      ///< "" if there are no variants
    std::vector<std::string> variants;  ///< choices of that parameter
    std::vector<std::string> varying;   ///< names of constants of variants, without their prefix
    std::vector<std::string> formats, cache_formats;
    std::string weights,
        kv_cache;  ///< their choices of these parameters, which it then does not have; "": points choose
    std::vector<Component> memories, units, links;
    std::vector<WrittenNumber> numbers;
    std::vector<WrittenRule> rules;
    std::vector<std::vector<std::string>> overlap;
    std::map<std::string, std::string> hold;  ///< "weights", "kv", "activations", "stage": memories
    std::vector<WrittenLimit> limits;
    std::vector<WrittenLimit> rules_of_constants;  ///< conditions that constants must meet; reason: why
    std::vector<WrittenMetric> metrics;
    std::vector<WrittenEntry> energy, area;

    /// Whether devices that share layers over the first link are one machine.
    [[nodiscard]] bool makes_one() const;
    /// Whether a constant differs between variants.
    [[nodiscard]] bool varies(std::string_view constant) const;
    /// The name of its row in `constants` for a variant; its own name if there are none.
    [[nodiscard]] std::string row_of(std::string_view constant, std::size_t variant) const;
    /// The name of a number as the file has it: of run.3.task, task of "*.attention".
    [[nodiscard]] std::string written_name(std::string const& number) const;
};

/// Numbers that every machine has: whether the space judges hardware without its programs (view = hardware), 1 or 0,
/// of the model that is served its dimensions, in elements (`kv_rank`: of the vector of latent attention, or 0), and
/// the bits of its floating-point weights and of its keys and values as its file states them (0 if it states none), and
/// the devices that share its layers over a link with `sharing = "machine"`.
inline constexpr std::string_view joined_name = "group.devices";
inline constexpr std::array<std::string_view, 12> given_names{
    "hardware_view", "model.layers",     "model.hidden",     "model.heads",      "model.kv_heads", "model.kv_width",
    "model.ffn",     "model.vocabulary", "model.float_bits", "model.cache_bits", "model.kv_rank",  joined_name};

/// Before the name of a constant of a part in an expression, where a parameter has its name.
inline constexpr std::string_view constant_prefix = "constant.";
/// A word of an expression without it.
[[nodiscard]] inline std::string without_prefix(std::string const& word) {
    return word.starts_with(constant_prefix) ? word.substr(constant_prefix.size()) : word;
}

/// Names of the constants that expressions read, in a fixed order: those of all variants once.
[[nodiscard]] std::vector<std::string> constant_names(MachineFile const& file);

}  // namespace pimdse::models::text
