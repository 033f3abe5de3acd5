#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <string_view>
#include <vector>

/// What the program says of its verbs and which flags they take, as dse/cli/manual.txt states it.
namespace pimdse::dse::cli {

/// The manual of a verb, shown by --help together with its flags: usage line, purpose and one worked example.
struct Manual {
    std::string line;  ///< "pimdse front FILE.h5 [flags]"
    std::string purpose;
    std::string example;                   ///< a command and its output, or a remark on it
    std::vector<std::string> positionals;  ///< names, in order; a last name ending in "..." takes the rest
    std::string summary{};                 ///< for the list of verbs
};

/// The flags of a verb. Values are texts, which the verb reads, so that every mistake is one sentence.
class Flags : public boost::program_options::options_description {
  public:
    /// Adds a flag as dse/cli/manual.txt writes it, such as "--depth=(3) how deep", or those of a group ("@point").
    void add(std::string_view written);
};

/// What the manual says of a verb.
struct Page {
    Manual manual;
    Flags flags;
};

/// The page of a verb ("front", "dram replay"), which there must be. `detail` stands for {} in it.
[[nodiscard]] Page page_of(std::string_view verb, std::string_view detail = "");

}  // namespace pimdse::dse::cli
