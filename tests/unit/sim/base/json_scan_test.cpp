#include "sim/base/json_scan.hpp"

#include "sim/base/json.hpp"
#include "sim/base/line_reader.hpp"

#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

/// Chosen parts of JSON texts, held against the reader of whole ones; and lines.
namespace pimdse::sim::json_scan_test {
namespace {

/// A random value of at most this many levels.
Json random_value(std::mt19937& random, int levels) {
    auto const draw = [&](unsigned below) { return random() % below; };
    switch (draw(levels > 0 ? 7 : 5)) {
        case 0:
            return nullptr;
        case 1:
            return draw(2) == 0;
        case 2:
            return static_cast<std::int64_t>(draw(2'000'000)) - 1'000'000;
        case 3:
            return static_cast<double>(draw(1'000'000)) / 7.0 * 1e-3;
        case 4:
            return std::string("a \"quoted\" {text}, [with] \\ and \n: é").substr(0, draw(30));
        case 5: {
            auto list = Json::array();
            for (unsigned i = draw(4); i > 0; --i) list.push_back(random_value(random, levels - 1));
            return list;
        }
        default: {
            auto object = Json::object();
            for (auto const* key : {"a", "b", "c", "a.b"})
                if (draw(2) == 0) object[key] = random_value(random, levels - 1);
            return object;
        }
    }
}

Json const* member_at(Json const& object, std::vector<std::string> const& path) {
    auto const* at = &object;
    for (auto const& key : path)
        if (at = at->is_object() ? at->member(key) : nullptr; at == nullptr) return nullptr;
    return at;
}

TEST(JsonScan, finds_what_the_reader_of_whole_texts_finds) {
    std::mt19937 random(1);
    JsonMembersAt members({"a", "b.c", "b.a.b", "c"});
    std::vector<std::vector<std::string>> const paths{{"a"}, {"b", "c"}, {"b", "a", "b"}, {"c"}};
    for (int i = 0; i < 2000; ++i) {
        auto object = Json::object();
        for (auto const* key : {"a", "b", "c"})
            if (random() % 4 != 0) object[key] = random_value(random, 3);
        auto const text = object.dump(random() % 2 == 0 ? -1 : 1);
        EXPECT_EQ(json_end(text), text.size());
        auto const found = members.in(text);
        for (std::size_t p = 0; p < paths.size(); ++p) {
            auto const* wanted = member_at(object, paths[p]);
            ASSERT_EQ(found[p].empty(), wanted == nullptr) << text;
            if (wanted == nullptr) continue;
            EXPECT_EQ(Json::parse(found[p]), *wanted) << text;
        }
        auto const cut = text.substr(0, random() % text.size());
        EXPECT_THROW((void)members.in(cut), Json::Error) << cut;
    }
}

TEST(JsonScan, takes_the_elements_of_lists_and_the_values_of_a_text) {
    auto const all = [](std::string const& text) {
        JsonValues values(text);
        std::vector<std::string> found;
        while (auto const value = values.next()) found.emplace_back(json_word(*value));
        return found;
    };
    using Texts = std::vector<std::string>;
    EXPECT_EQ(all(" [1, \"x\" , null,[2,3] ]\n"), (Texts{"1", "x", "", "[2,3]"}));
    EXPECT_EQ(all("[]"), Texts{});
    EXPECT_EQ(all("{\"a\": 1}\n{\"a\": 2}"), (Texts{"{\"a\": 1}", "{\"a\": 2}"}));
    EXPECT_EQ(json_paths(R"({"a": {"b": [1], "c": {}}, "d": NaN})"), (Texts{"a.b", "d"}));
    for (auto const* wrong : {"[1", "[1,]", "[1 2]", "{\"a\" 1}", "[1] 2", "tru", "[01x]"})
        EXPECT_THROW((void)all(wrong), Json::Error) << wrong;
}

TEST(LineReader, gives_lines_without_their_ends_and_what_follows) {
    LineReader reader(std::string("\xEF\xBB\xBFone\r\ntwo\n\nlast"), "t");
    EXPECT_EQ(reader.next(), "one");
    reader.put_back();
    EXPECT_EQ(reader.next(), "one");
    EXPECT_EQ(reader.next(), "two");
    EXPECT_EQ(reader.line(), 2);
    EXPECT_EQ(reader.rest(), "\nlast");
    EXPECT_EQ(reader.next(), std::nullopt);
}

}  // namespace
}  // namespace pimdse::sim::json_scan_test
