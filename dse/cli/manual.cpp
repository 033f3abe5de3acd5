#include "dse/cli/manual.hpp"

#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <algorithm>
#include <span>

namespace pimdse::dse::cli {

extern std::string_view const manual_text;  ///< dse/cli/manual.txt, which the build makes a part of the program

namespace {

namespace po = boost::program_options;

/// The lines of a page, the first without its mark; a line that ends in a backslash goes on in the next.
std::vector<std::string> lines_of(std::string_view page) {
    constexpr std::string_view mark = "\n== ";
    auto const is_head = [&](std::size_t at) {
        auto const behind = manual_text.substr(at + mark.size());
        return behind.starts_with(page) && (behind[page.size()] == '\n' || behind[page.size()] == ':');
    };
    auto begin = manual_text.find(mark);
    while (begin != manual_text.npos && !is_head(begin)) begin = manual_text.find(mark, begin + 1);
    sim::expects(begin != manual_text.npos, "every verb has a page in the manual");
    begin += mark.size();
    std::vector<std::string> lines;
    bool goes_on = false;
    for (auto line : sim::split(manual_text.substr(begin, manual_text.find(mark, begin) - begin), '\n')) {
        if (goes_on)
            lines.back() += line.substr(std::min(line.find_first_not_of(' '), line.size()));
        else if (!line.empty())
            lines.emplace_back(line);
        goes_on = lines.back().ends_with('\\');
        if (goes_on) lines.back().pop_back();
    }
    return lines;
}

}  // namespace

void Flags::add(std::string_view written) {
    if (written.starts_with('@')) {
        auto const lines = lines_of(written);
        for (auto const& line : std::span(lines).subspan(1)) add(line);
        return;
    }
    constexpr std::size_t dashes = 2;
    auto const name_end = written.find_first_of("=[ ");
    char const closing = written[name_end] == '[' ? ']' : written.substr(name_end).starts_with("=(") ? ')' : ' ';
    auto const value_end = written.find(closing, name_end) + (closing == ' ' ? 0 : 1);
    std::string const name(written.substr(dashes, name_end - dashes)), meaning(written.substr(value_end + 1));
    auto const value = written.substr(name_end, value_end - name_end);
    if (value.empty()) {
        add_options()(name.c_str(), meaning.c_str());
    } else if (value == "=...") {
        add_options()(name.c_str(), po::value<std::vector<std::string>>()->composing(), meaning.c_str());
    } else {
        auto* const one = po::value<std::string>();
        std::string const inside(closing == ' ' ? "" : value.substr(2, value.size() - 3));
        if (closing == ')') one->default_value(inside);
        if (closing == ']') one->implicit_value(inside);
        add_options()(name.c_str(), one, meaning.c_str());
    }
}

Page page_of(std::string_view verb, std::string_view detail) {
    auto const lines = lines_of(verb);
    Page page;
    auto& manual = page.manual;
    auto const words = std::min(lines.front().find(':'), lines.front().size());
    manual.positionals =
        sim::words_of(std::string_view(lines.front()).substr(std::min(words + 1, lines.front().size())), ' ');
    std::string* part = &manual.summary;
    for (std::string line : std::span(lines).subspan(1)) {
        if (auto const at = line.find("{}"); at != line.npos && !detail.empty()) line.replace(at, 2, detail);
        if (line == "Example:") {
            part = &manual.example;
        } else if (line == "Flags:") {
            part = nullptr;
        } else if (part == nullptr) {
            page.flags.add(line);
        } else {
            if (line.starts_with("| ")) part = &manual.purpose, line.erase(0, 2);
            *part += (part->empty() ? "" : "\n") + line;
            if (part == &manual.summary) part = &manual.line;
        }
    }
    return page;
}

}  // namespace pimdse::dse::cli
