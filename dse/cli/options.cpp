#include "dse/cli/options.hpp"

#include "dse/base/thread_count.hpp"
#include "dse/cli/text_table.hpp"

#include <algorithm>
#include <iostream>
#include <span>

namespace pimdse::dse::cli {

extern std::string_view const manual_text;  ///< dse/cli/manual.txt, which the build makes a part of the program

namespace {

namespace po = boost::program_options;

constexpr char const* surplus = "(surplus)";  ///< what follows the last positional argument

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

/// Adds the positional arguments to the options, and returns their positions.
po::positional_options_description positions(Manual const& manual, po::options_description& all) {
    po::positional_options_description description;
    auto const add = [&](std::string const& name, bool many) {
        if (many)
            all.add_options()(name.c_str(), po::value<std::vector<std::string>>());
        else
            all.add_options()(name.c_str(), po::value<std::string>());
        description.add(name.c_str(), many ? -1 : 1);
    };
    for (auto const& name : manual.positionals) {
        bool const rest = name.ends_with("...");
        add(rest ? name.substr(0, name.size() - 3) : name, rest);
    }
    if (manual.positionals.empty() || !manual.positionals.back().ends_with("...")) add(surplus, true);
    return description;
}

/// The flags and --help as one list, as wide as the screen.
po::options_description shown_flags(Flags const& flags) {
    constexpr unsigned usual = 80;
    auto const screen = static_cast<unsigned>(screen_width());
    po::options_description shown("Flags", screen > 0 ? screen : usual);
    for (auto const& option : flags.options()) shown.add(option);
    shown.add_options()("help,h", "print this help");
    return shown;
}

void print_help(Manual const& manual, po::options_description const& flags) {
    auto const width = screen_width();
    std::cout << wrapped(manual.line, width) << "\n\n"
              << wrapped(manual.purpose, width, 0) << "\n\n"
              << flags << "\nExample:\n"
              << wrapped(manual.example, width, 2) << "\n";
}

[[noreturn]] void unknown_flag(std::string const& word, po::options_description const& flags, Manual const& manual) {
    auto const flag = word.substr(0, word.find('='));
    std::vector<std::string> known;
    for (auto const& option : flags.options()) known.push_back("--" + option->long_name());
    throw UsageError("unknown flag '{}' of {}.{}", flag, manual.line, sim::suggestion(flag, known));
}

/// A time in s; NaN if the text is not a time.
double time_in(std::string const& text) {
    try {
        auto const quantity = sim::parse_quantity(text);
        return quantity.dimension == sim::dimension_of(sim::Time{}) ? quantity.si : std::nan("");
    } catch (sim::InputError const&) {
        return std::nan("");  // the caller reports it with the name of the flag
    }
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
        if (part == &manual.example && (line.starts_with("--") || line.starts_with('@'))) {
            page.flags.add(line);
            continue;
        }
        if (line.starts_with("| ")) part = &manual.purpose, line.erase(0, 2);
        if (line.starts_with("> ")) part = &manual.example, line.erase(0, 2);
        *part += (part->empty() ? "" : "\n") + line;
        if (part == &manual.summary) part = &manual.line;
    }
    return page;
}

std::vector<std::string> CommandLine::texts(std::string const& name) const {
    return contains(name) ? (*this)[name].as<std::vector<std::string>>() : std::vector<std::string>();
}

std::vector<std::string> CommandLine::words(std::string const& name) const {
    return contains(name) ? words_in("--" + name, text(name)) : std::vector<std::string>();
}

std::string CommandLine::needed(std::string const& name) const {
    if (contains(name)) return text(name);
    bool const flag = std::ranges::find(manual_->positionals, name) == manual_->positionals.end();
    throw UsageError("{}{} is missing (usage: {})", flag ? "--" : "", name, usage());
}

CommandLine parse(Manual const& manual, Flags const& flags, std::vector<std::string> const& arguments) {
    auto const visible = shown_flags(flags);
    po::options_description all;
    all.add(visible);
    auto const positional = positions(manual, all);
    int const style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    CommandLine values(manual);
    try {
        po::store(po::command_line_parser(arguments).options(all).positional(positional).style(style).run(), values);
        po::notify(values);
    } catch (po::unknown_option const& error) {
        unknown_flag(error.get_option_name(), visible, manual);
    } catch (po::error const& error) {
        throw UsageError("{} (usage: {})", error.what(), manual.line);
    }
    if (values.contains("help")) {
        print_help(manual, visible);
        throw HelpPrinted();
    }
    if (values.contains(surplus)) {
        bool const sets = std::ranges::find(arguments, "--set") != arguments.end();
        throw UsageError("'{}' is one argument too many (usage: {}){}", sim::clipped(values.texts(surplus).front()),
                         manual.line, sets ? ". Write --set name=value, without a space?" : "");
    }
    return values;
}

CommandLine command_line(std::string_view verb, std::vector<std::string> const& arguments, std::string_view detail) {
    auto const page = page_of(verb, detail);
    auto values = parse(page.manual, page.flags, arguments);
    values.typed = {"pimdse", std::string(verb)};
    values.typed.insert(values.typed.end(), arguments.begin(), arguments.end());
    return values;
}

std::vector<std::string> words_in(std::string_view what, std::string_view text) {
    std::vector<std::string> words;
    for (auto const part : sim::split(text, ',')) words.emplace_back(sim::trimmed(part));
    if (sim::trimmed(text).empty()) throw UsageError("{}: nothing is named", what);
    if (std::ranges::find(words, "") != words.end())
        throw UsageError("{}: a word is missing in '{}', between commas or at an end. Leave a comma out?", what,
                         sim::clipped(text));
    return words;
}

std::size_t position_of(std::string_view what, std::string const& word, std::vector<std::string> const& names) {
    auto const found = std::ranges::find(names, word);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    throw UsageError("{} '{}'.{}",
                     what.starts_with('-') ? fmt::format("{}: unknown value", what) : fmt::format("unknown {}", what),
                     sim::clipped(word), sim::suggestion(word, names));
}

Format format_of(CommandLine const& values) {
    return static_cast<Format>(position_of("--format", values.text("format"), {"text", "json", "csv"}));
}

Format format_without_csv(CommandLine const& values, std::string_view output) {
    auto const format = format_of(values);
    if (format == Format::csv)
        throw UsageError("{} can be printed as text or json only, not as csv (it is not one table)", output);
    return format;
}

std::vector<space::Override> pairs_of(CommandLine const& values, std::string const& flag) {
    std::vector<space::Override> pairs;
    for (auto const& word : values.texts(flag)) {
        auto const equal = word.find('=');
        if (equal == std::string::npos || equal == 0)
            throw UsageError("--{0} {1} has no '=' (write --{0} name=value)", flag, word);
        pairs.emplace_back(sim::trimmed(word.substr(0, equal)), sim::trimmed(word.substr(equal + 1)));
    }
    refuse_repeated(pairs, "--" + flag);
    return pairs;
}

void refuse_repeated(std::vector<space::Override> const& pairs, std::string_view flags) {
    for (auto pair = pairs.begin(); pair != pairs.end(); ++pair) {
        auto const first = std::ranges::find(pairs.begin(), pair, pair->first, &space::Override::first);
        if (first != pair)
            throw UsageError("{} gives {} twice ('{}' and '{}'). Leave one of them out?", flags, pair->first,
                             sim::clipped(first->second), sim::clipped(pair->second));
    }
}

std::vector<space::Override> overrides_of(CommandLine const& values) {
    auto overrides = pairs_of(values, "set");
    for (auto& [name, text] : pairs_of(values, "assume"))
        overrides.emplace_back(std::string(space::assumption_prefix) + name, std::move(text));
    refuse_repeated(overrides, "the command line");
    return overrides;
}

double seconds_of(CommandLine const& values, std::string const& flag) {
    constexpr double longest = 1e9;  // 31 years: longer times overflow clocks
    auto const& text = values.text(flag);
    double const seconds = time_in(text);
    if (seconds > 0.0 && seconds <= longest) return seconds;
    throw UsageError(
        "--{} must be a time with its unit, such as \"90 s\" or \"2 h\", above 0 and up to 1e9 s (got '{}'){}", flag,
        text, sim::hint_for_comma(text));
}

std::optional<double> given_share(CommandLine const& values, std::string const& flag) {
    if (!values.contains(flag)) return std::nullopt;
    auto text = values.text(flag);
    bool const percent = text.ends_with('%');
    if (percent) text.erase(text.find_last_not_of(" %") + 1);
    return read_number<double>("--" + flag, text) / (percent ? 100.0 : 1.0);
}

int threads_of(CommandLine const& values) {
    int const wanted = number_of<int>(values, "threads", {0, base::max_threads()});
    // Without a flag in the message: a wrong PIMDSE_THREADS is reported, too.
    return from_flag("", [wanted] { return base::thread_count(wanted); });
}

}  // namespace pimdse::dse::cli
