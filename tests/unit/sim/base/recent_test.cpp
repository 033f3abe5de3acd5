#include "sim/base/memo.hpp"

#include <gtest/gtest.h>
#include <atomic>
#include <list>
#include <random>
#include <thread>
#include <vector>

namespace pimdse::sim::recent_test {
namespace {

std::atomic<int> computed{0};

struct Weighty {
    int key = 0;
    std::size_t heavy = 1;
    [[nodiscard]] std::size_t weight() const { return heavy; }
};

std::size_t weight_of(int key) { return static_cast<std::size_t>(key % 5); }

std::shared_ptr<Weighty const> weigh(int key) {
    ++computed;
    return std::make_shared<Weighty const>(Weighty{key, weight_of(key)});
}

/// Reference: the most recently used keys, the latest first, as long as their total weight is at most the limit; at
/// least one.
class SlowCache {
  public:
    explicit SlowCache(std::size_t max) : max_(max) {}
    /// True if the key had to be computed.
    bool use(int key) {
        bool const fresh = std::erase(keys_, key) == 0;
        keys_.push_front(key);
        while (keys_.size() > 1 && weight() > max_) keys_.pop_back();
        return fresh;
    }

  private:
    [[nodiscard]] std::size_t weight() const {
        std::size_t sum = 0;
        for (int const key : keys_) sum += weight_of(key);
        return sum;
    }
    std::size_t max_;
    std::list<int> keys_;
};

TEST(LruCache, forgets_what_was_used_longest_ago_and_nothing_else) {
    for (std::size_t const max : {0U, 1U, 4U, 11U, 1000U}) {
        LruCache<int, Weighty> recent(max);
        SlowCache slow(max);
        std::mt19937_64 random(max);
        for (int round = 0; round < 2000; ++round) {
            int const key = static_cast<int>(random() % 12), before = computed;
            EXPECT_EQ(recent.get(key, weigh)->key, key);
            EXPECT_EQ(computed - before, slow.use(key) ? 1 : 0) << "most " << max << ", use " << round;
        }
    }
}

TEST(LruCache, leaves_a_value_to_its_holder) {
    LruCache<int, Weighty> const recent(1);
    auto const held = recent.get(4, weigh);
    for (int key = 5; key < 50; ++key) (void)recent.get(key, weigh);
    EXPECT_EQ(held->key, 4);
    EXPECT_EQ(held.use_count(), 1);
}

TEST(LruCache, gives_every_thread_the_value_of_its_key) {
    LruCache<int, Weighty> const recent(6);
    std::atomic<int> wrong{0};
    std::vector<std::jthread> threads;
    for (unsigned thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&, thread] {
            std::mt19937_64 random(thread);
            for (int round = 0; round < 5000; ++round) {
                int const key = static_cast<int>(random() % 20);
                wrong += recent.get(key, weigh)->key == key ? 0 : 1;
            }
        });
    }
    threads.clear();
    EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace pimdse::sim::recent_test
