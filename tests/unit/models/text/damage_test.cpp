#include "models/contract/toml_file.hpp"
#include "models/text/text.hpp"

#include "folder.hpp"
#include "sim/base/check.hpp"
#include "tests/laws/random_point.hpp"
#include "tests/support/campaign.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

/// Shipped machine files with random damage: sentences or a machine that can be evaluated, never anything else.
namespace pimdse::models::text::test::damage_test {
namespace {

using laws::Bits;

std::string content_of(std::filesystem::path const& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream content;
    content << stream.rdbuf();
    return content.str();
}

std::vector<std::string> lines_of(std::string const& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

/// Words of the file, which stand where others stood.
std::vector<std::string> words_of_text(std::string const& text) {
    std::vector<std::string> words;
    std::string word;
    for (char const c : text + " ") {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.') {
            word += c;
        } else if (!word.empty()) {
            words.push_back(std::exchange(word, ""));
        }
    }
    return words;
}

class Damage {
  public:
    explicit Damage(std::uint64_t seed) : bits_(seed) {}

    std::string to(std::string text) {
        for (auto hits = 1 + bits_.below(2); hits > 0 && !text.empty(); --hits) text = once(std::move(text));
        return text;
    }

  private:
    std::string once(std::string text) {
        constexpr std::string_view letters = "\"'[]{}=.,#*+-/()\n 019aef_<>";
        auto const kind = bits_.below(9);  // words are damaged twice as often as anything else
        if (kind < 4) return of_lines(std::move(text), kind);
        auto const at = static_cast<std::size_t>(bits_.below(text.size()));
        if (kind == 4) return text.erase(at, 1 + bits_.below(6));
        if (kind == 5) return text.insert(at, 1, letters[bits_.below(letters.size())]);
        if (kind == 6) return text.substr(0, at);
        return of_words(std::move(text));
    }

    /// A line lost, twice, at another place, or without its value.
    std::string of_lines(std::string const& text, std::uint64_t kind) {
        auto lines = lines_of(text);
        auto const at = static_cast<std::ptrdiff_t>(bits_.below(lines.size()));
        auto const line = lines[static_cast<std::size_t>(at)];
        if (kind == 0) lines.erase(lines.begin() + at);
        if (kind == 1) lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(bits_.below(lines.size())), line);
        if (kind == 2) std::swap(lines[static_cast<std::size_t>(at)], lines[bits_.below(lines.size())]);
        if (kind == 3) {
            static std::vector<std::string> const values{"0",       "-1",         "\"\"",          "true",
                                                         "[]",      "{}",         "1e400",         "nan",
                                                         "\"1 s\"", "[\"a\", 3]", "{ value = 0 }", "\"0 / 0\""};
            auto const equals = line.find('=');
            if (equals != std::string::npos)
                lines[static_cast<std::size_t>(at)] =
                    line.substr(0, equals + 1) + " " + values[bits_.below(values.size())];
        }
        std::string all;
        for (auto const& one : lines) all += one + "\n";
        return all;
    }

    /// A word where another stood.
    std::string of_words(std::string text) {
        auto const words = words_of_text(text);
        if (words.empty()) return text;
        auto const& from = words[bits_.below(words.size())];
        auto const at = text.find(from, bits_.below(text.size()));
        return at == std::string::npos ? text : text.replace(at, from.size(), words[bits_.below(words.size())]);
    }

    Bits bits_;
};

struct Counts {
    int refused = 0, read = 0, evaluated = 0;
};

void expect_sentences_or_results(std::filesystem::path const& file, std::uint64_t seed, Counts& counts) {
    try {
        auto const machine = architecture(file);
        ++counts.read;
        auto const parameters = machine.parameters();
        auto const inputs = prepare(machine, parameters);
        for (std::uint64_t i = 0; i < 2; ++i) {
            auto const point = i == 0 ? default_point(parameters) : laws::random_point(parameters, seed);
            auto const outcome = machine.evaluate(inputs, point, Fidelity::analytic);
            (void)machine.proofs.cycle_key(inputs, point);
            (void)machine.explain(inputs, point, Fidelity::analytic);
            auto const* broken = std::get_if<Infeasible>(&outcome);
            EXPECT_TRUE(broken == nullptr || !broken->reason.empty());
            ++counts.evaluated;
        }
    } catch (sim::InputError const& error) {
        ++counts.refused;
        EXPECT_FALSE(error.sentences().empty());
        for (auto const& sentence : error.sentences()) {
            EXPECT_LT(sentence.size(), 1500U) << sentence;
            EXPECT_THAT(sentence, ::testing::HasSubstr(".toml")) << sentence;
        }
    }
}

TEST(Damage, of_shipped_machines_is_told_in_sentences) {
    Folder const folder;
    std::vector<std::pair<std::string, std::string>> shipped;
    for (auto const& entry : std::filesystem::directory_iterator(data_directory() / "models" / "machines"))
        if (entry.path().extension() == ".toml")
            shipped.emplace_back(entry.path().filename().string(), content_of(entry.path()));
    std::ranges::sort(shipped);
    ASSERT_GE(shipped.size(), 11U);
    for (auto const& [name, text] : shipped) (void)folder.with(name, text);
    Counts counts;
    std::uint64_t damages = 0;
    for (auto const& [name, text] : shipped) {
        for (std::uint64_t seed = 0; seed < tests::draws(60UL); ++seed) {
            SCOPED_TRACE(fmt::format("{} with damage {}", name, seed));
            auto const file = folder.with(name, Damage(damages++).to(text));
            try {
                expect_sentences_or_results(file, seed, counts);
            } catch (std::exception const& error) {
                ADD_FAILURE() << "not a sentence: " << error.what();
            }
        }
        (void)folder.with(name, text);
    }
    fmt::print("{} refused, {} read, {} evaluated\n", counts.refused, counts.read, counts.evaluated);
    EXPECT_GT(counts.refused, tests::draws(200));
    EXPECT_GT(counts.read, tests::draws(100));
}

}  // namespace
}  // namespace pimdse::models::text::test::damage_test
