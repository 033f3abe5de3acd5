#pragma once

#include "models/contract/toml_file.hpp"
#include "models/text/component_kinds.hpp"
#include "models/text/machine_file.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models::text {

/// Reads numbers as they are written in the tables of a machine file: 4, "4 ns", "2 * lanes", or
/// { value = ..., source = "...", assumed = true, range = [0.5, 2] }.
class NumberReader {
  public:
    /// Numbers are added to those of `machine`, sentences to `mistakes`; both live longer.
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

    std::filesystem::path file_;
    MachineFile* machine_;
    std::vector<std::string>* mistakes_;
};

}  // namespace pimdse::models::text
