// A table in a file that is removed at the end of a test.
#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>

namespace pimdse::sim::serving::test {

class WrittenTable {
  public:
    explicit WrittenTable(std::string const& text)
        : folder_(std::filesystem::temp_directory_path() /
                  ("pimdse_serving_" + std::to_string(getpid()) + "_" + std::to_string(count++))) {
        std::filesystem::create_directories(folder_);
        std::ofstream(path(), std::ios::binary) << text;
    }
    WrittenTable(WrittenTable const&) = delete;
    WrittenTable& operator=(WrittenTable const&) = delete;
    ~WrittenTable() {
        std::error_code error;
        std::filesystem::remove_all(folder_, error);
    }
    [[nodiscard]] std::filesystem::path path() const { return folder_ / "trace.csv"; }

  private:
    static inline std::atomic<int> count = 0;
    std::filesystem::path folder_;
};

}  // namespace pimdse::sim::serving::test
