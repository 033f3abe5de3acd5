#include "dse/cli/verb.hpp"

#include "dse/run/mpi.hpp"

#include <tbb/version.h>
#include <boost/version.hpp>
#include <csignal>

namespace pimdse::dse::cli {

std::vector<std::string> first_words(std::span<Verb const> verbs) {
    std::vector<std::string> words;
    for (auto const& verb : verbs) words.emplace_back(verb.name.substr(0, verb.name.find(' ')));
    words.erase(std::unique(words.begin(), words.end()), words.end());
    return words;
}

Verb const* verb_of(std::span<Verb const> verbs, std::vector<std::string> const& words) {
    auto const found = std::ranges::find_if(verbs, [&](Verb const& verb) {
        auto const name = sim::words_of(verb.name, ' ');
        return name.size() <= words.size() && std::equal(name.begin(), name.end(), words.begin());
    });
    return found != verbs.end() ? &*found : nullptr;
}

int run_verb(std::span<Verb const> verbs, std::vector<std::string> const& words) {
    auto const& first = words.front();
    if (auto const* verb = verb_of(verbs, words)) {
        if (verb->writes_file) std::signal(SIGPIPE, SIG_IGN);
        auto const behind = words.begin() + 1 + std::ranges::count(verb->name, ' ');
        return verb->run(command_line(verb->name, {behind, words.end()}, verb->detail ? verb->detail() : ""));
    }
    std::vector<std::string> second;
    for (auto const& verb : verbs)
        if (verb.name.starts_with(first + " ")) second.emplace_back(verb.name.substr(first.size() + 1));
    if (second.empty()) throw UsageError("unknown verb '{}'.{}", first, sim::suggestion(first, first_words(verbs)));
    bool const requested = words.size() > 1 && (words[1] == "--help" || words[1] == "-h");
    if (words.size() > 1 && !requested)
        throw UsageError("pimdse {} has no verb '{}'.{}", first, words[1], sim::suggestion(words[1], second));
    auto& out = requested ? std::cout : std::cerr;
    auto const longest = std::ranges::max(second, {}, &std::string::size).size();
    out << fmt::format("usage: pimdse {} {} [flags]\n\n", first, fmt::join(second, "|"));
    for (auto const& word : second)
        out << fmt::format("  {:<{}}   {}\n", word, longest, page_of(fmt::format("{} {}", first, word)).manual.summary);
    out << fmt::format("\nExample:\n{}\n", page_of(first).manual.example);
    return requested ? complete : usage;
}

std::string version() { return PIMDSE_VERSION; }
std::string git_revision() { return PIMDSE_GIT_REVISION; }

std::string version_text() {
    return fmt::format("pimdse {} ({})\n{}\nHDF5 {}\noneTBB {}.{}\nBoost {}.{}\n", version(), git_revision(),
                       run::mpi_library(), PIMDSE_HDF5_VERSION, TBB_VERSION_MAJOR, TBB_VERSION_MINOR,
                       BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000);
}

}  // namespace pimdse::dse::cli
