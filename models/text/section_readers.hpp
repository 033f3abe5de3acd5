#pragma once

#include "models/contract/toml_file.hpp"
#include "models/text/component_kinds.hpp"
#include "models/text/machine_file.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Readers of sections of a machine file. What they read is added to a MachineFile, and sentences to mistakes; both
/// live longer than the reader.
namespace pimdse::models::text {

/// The table of a key; nullptr if there is none, and with a mistake if it is none.
[[nodiscard]] toml::table const* table_of(TableReader& reader, std::string_view key);

/// Reads numbers as they are written in the tables of a machine file: 4, "4 ns", "2 * lanes", or
/// { value = ..., source = "...", assumed = true, range = [0.5, 2] }.
class NumberReader {
  public:
    NumberReader(std::filesystem::path file, MachineFile& machine, std::vector<std::string>& mistakes)
        : file_(std::move(file)), machine_(&machine), mistakes_(&mistakes) {}

    /// The number at a key, or its default, under this name.
    void read(TableReader& keys, NumberKey const& key, std::string const& name);
    /// A number, or a table with one for each format of products.
    void read_by_format(TableReader& keys, NumberKey const& key, std::string const& name);
    /// The dimension of a unit that the table has.
    [[nodiscard]] sim::Dimension dimension_in(TableReader& keys, std::string const& unit);

  private:
    void set(toml::node const& node, std::string_view key, WrittenNumber& number);
    static void set_range(TableReader& keys, WrittenNumber& number);

  protected:
    std::filesystem::path file_;
    MachineFile* machine_;
    std::vector<std::string>* mistakes_;
};

/// Reads memories, compute units and links: their kinds, numbers, texts and energies.
class ComponentReader : NumberReader {
  public:
    using NumberReader::NumberReader;
    /// A component of "memory", "compute" or "link"; nullopt: its kind is none.
    [[nodiscard]] std::optional<Component> read(std::string_view section, std::string const& name,
                                                toml::table const& one);

  private:
    void read_energies(TableReader& keys, ComponentKind const& kind, Component const& component, std::string const& key,
                       std::vector<std::string>& to);
};

/// Reads the rules of [run]: which component does an operator, several of which each pass takes one, or why it costs
/// nothing. docs/own_machine.md, "Operators".
class RuleReader : NumberReader {
  public:
    using NumberReader::NumberReader;
    /// A rule, or a list of rules that are followed one after the other.
    void read(std::string const& pattern, toml::node const& node);

  private:
    void read_rule(std::string const& pattern, toml::node const& node, bool continues);
    /// Several components, of which each pass takes one: sets the first, and returns the others.
    std::vector<std::string> read_choice(TableReader& keys, toml::table const& one, WrittenRule& rule);
    void check_cost(WrittenRule const& rule, bool waits);

    bool chooses_alone_ = true;  ///< the rule that is read is in no list
};

/// Constants of parts that expressions name become constants of the machine.
void take_constants_of_parts(MachineFile& machine);

}  // namespace pimdse::models::text
