#include "dse/search/task_index.hpp"

#include <gtest/gtest.h>
#include <random>

namespace pimdse::dse::search::slot_table_test {
namespace {

/// Keys that stand elsewhere; `spread` of their hashes are different, so that few of them crowd the same slots.
struct Keys {
    [[nodiscard]] std::uint64_t hash(std::uint64_t key) const { return key % spread * 0x9E3779B97F4A7C15ULL; }
    [[nodiscard]] std::optional<std::uint32_t> find(SlotTable const& table, std::uint64_t key) const {
        return table.find(hash(key), [&](std::uint32_t number) { return keys.at(number) == key; });
    }
    void add(SlotTable& table, std::uint64_t key) {
        keys.push_back(key);
        table.add(static_cast<std::uint32_t>(keys.size() - 1),
                  [&](std::uint32_t number) { return hash(keys.at(number)); });
    }
    std::uint64_t spread = 1;
    std::vector<std::uint64_t> keys;
};

TEST(SlotTable, finds_what_was_added_and_nothing_else_however_hashes_crowd) {
    for (std::uint64_t const spread : {1ULL, 2ULL, 17ULL, 1'000'000ULL}) {
        Keys keys{spread, {}};
        SlotTable table;
        EXPECT_FALSE(keys.find(table, 3)) << "of an empty one";
        std::size_t const count = spread < 10 ? 300 : 4000;
        for (std::uint64_t key = 0; key < count; ++key) {
            ASSERT_FALSE(keys.find(table, 3 * key));
            keys.add(table, 3 * key);
            ASSERT_EQ(keys.find(table, 3 * key), key);
        }
        EXPECT_EQ(table.size(), count);
        for (std::uint64_t key = 0; key < 3 * count; ++key) {
            auto const found = keys.find(table, key);
            ASSERT_EQ(found.has_value(), key % 3 == 0) << key;
            ASSERT_EQ(found.value_or(key / 3), key / 3);
        }
    }
}

TEST(SlotTable, is_never_full_and_takes_five_to_eleven_bytes_each) {
    Keys keys{~std::uint64_t{0}, {}};
    SlotTable table;
    std::mt19937_64 random(1);
    for (int count = 1; count <= 5000; ++count) {
        keys.add(table, random());
        ASSERT_LT(table.size() * sizeof(std::uint32_t), table.bytes()) << "a search ends at an empty slot";
        if (count < 100) continue;
        ASSERT_GE(table.bytes(), 5U * table.size());
        ASSERT_LE(table.bytes(), 11U * table.size());
    }
}

}  // namespace
}  // namespace pimdse::dse::search::slot_table_test
