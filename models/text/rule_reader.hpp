#pragma once

#include "models/contract/toml_file.hpp"
#include "models/text/machine_file.hpp"
#include "models/text/number_reader.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace pimdse::models::text {

/// Reads the rules of [run]: which component does an operator, several of which each pass takes one, or why it costs
/// nothing. docs/own_machine.md, "Operators".
class RuleReader {
  public:
    /// Rules and their numbers are added to those of `machine`, sentences to `mistakes`; all live longer.
    RuleReader(std::filesystem::path file, MachineFile& machine, std::vector<std::string>& mistakes,
               NumberReader& numbers)
        : file_(std::move(file)), machine_(&machine), mistakes_(&mistakes), numbers_(&numbers) {}

    /// A rule, or a list of rules that are followed one after the other.
    void read(std::string const& pattern, toml::node const& node);

  private:
    void read_rule(std::string const& pattern, toml::node const& node, bool continues);
    /// Several components, of which each pass takes one: sets the first, and returns the others.
    std::vector<std::string> read_choice(TableReader& keys, toml::table const& one, WrittenRule& rule);
    void check_cost(WrittenRule const& rule, bool waits);

    std::filesystem::path file_;
    MachineFile* machine_;
    std::vector<std::string>* mistakes_;
    NumberReader* numbers_;
    bool chooses_alone_ = true;  ///< the rule that is read is in no list
};

}  // namespace pimdse::models::text
