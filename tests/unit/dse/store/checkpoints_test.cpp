#include "dse/store/checkpoints.hpp"

#include "dse/store/result_file.hpp"
#include "tests/unit/dse/store/sample.hpp"

#include <gtest/gtest.h>
#include <chrono>
#include <thread>

namespace pimdse::dse::store::checkpoints_test {
namespace {

TEST(Checkpoints, write_what_the_store_holds_while_it_grows) {
    sample::TemporaryDirectory const directory;
    auto const path = directory / "live.h5";
    auto const results = sample::results(0, 10000);
    search::ResultStore store(3);
    std::size_t given = 0;
    {
        Checkpoints const checkpoints({path, 0.01, [] { return Provenance{}; }}, sample::columns(), store);
        auto const limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (!std::filesystem::exists(path) && std::chrono::steady_clock::now() < limit) {
            if (given < results.size())
                store.insert(std::span(results).subspan(given++, 1));
            else
                std::this_thread::yield();
        }
    }
    ASSERT_TRUE(std::filesystem::exists(path));
    auto const file = load_result_file(path);
    ASSERT_GT(file.store.size(), 0U);
    ASSERT_LE(file.store.size(), given);
    for (search::Row row = 0; row < file.store.size(); ++row)
        ASSERT_TRUE(sample::identical(file.store.result(row), store.result(row)));
}

TEST(Checkpoints, write_nothing_where_nothing_came) {
    sample::TemporaryDirectory const directory;
    auto const store = sample::store(sample::results(0, 10));
    {
        Checkpoints const checkpoints({directory / "live.h5", 0.001, [] { return Provenance{}; }}, sample::columns(),
                                      store);
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    EXPECT_FALSE(std::filesystem::exists(directory / "live.h5"));
}

}  // namespace
}  // namespace pimdse::dse::store::checkpoints_test
