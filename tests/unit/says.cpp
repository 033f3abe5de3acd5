#include "tests/unit/says.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <stdexcept>

namespace pimdse::testing_support {
namespace {

using Messages = std::map<std::string, std::set<std::string>>;

// messages.golden: a line `Suite.id`, then the lines of its text, indented by four spaces.
Messages read_messages() {
    std::ifstream file(PIMDSE_MESSAGES);
    if (!file) throw std::runtime_error("cannot read " PIMDSE_MESSAGES);
    Messages messages;
    std::string id, text;
    const auto keep = [&] {
        if (!id.empty()) messages[id].insert(text);
        text.clear();
    };
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("    ")) {
            text += (text.empty() ? "" : "\n") + line.substr(4);
        } else if (!line.starts_with('#')) {
            keep();
            id = line;
        }
    }
    keep();
    return messages;
}

// Without what differs from run to run: folders, and the numbers in names of temporary files.
std::string without_places(const std::string& text) {
    static const std::regex folders(R"((^|[\s'"(])(/[^\s/:'"(),]+)+/)");
    static const std::regex numbers(R"(\b(pimdse\w*?|named_files)_\d+(_\d+)?)");
    return std::regex_replace(std::regex_replace(text, folders, "$1"), numbers, "$1");
}

// The suite of the test that runs, without the prefix of an instantiation.
std::string suite() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    const std::string name = test ? test->test_suite_name() : "";
    return name.substr(name.find('/') == std::string::npos ? 0 : name.find('/') + 1);
}

std::string indented(const std::string& text) {
    static const std::regex line_starts("\n");
    return "    " + std::regex_replace(text, line_starts, "\n    ");
}

}  // namespace

bool agrees_with_recorded(std::string_view id, const std::string& text, std::ostream* difference) {
    const auto name = suite() + "." + std::string(id);
    auto shown = without_places(text);
    while (shown.ends_with('\n')) shown.pop_back();
    if (const char* record = std::getenv("PIMDSE_RECORD_MESSAGES")) {
        std::ofstream(record, std::ios::app) << name << '\n' << indented(shown) << '\n';
        return true;
    }
    static const Messages messages = read_messages();
    const auto found = messages.find(name);
    const bool same = found != messages.end() && found->second.contains(shown);
    if (!same && difference) {
        *difference << (found == messages.end() ? "and none is recorded as " + name
                                                : "which is: " + fmt::format("{}", fmt::join(found->second, "\nor: ")));
    }
    return same;
}

}  // namespace pimdse::testing_support
