#pragma once

#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <string>

namespace pimdse::models::testing {

/// A file with this content that exists during the lifetime of the object.
class TemporaryFile {
  public:
    explicit TemporaryFile(std::string const& content, std::string const& extension = ".toml")
        : path_(std::filesystem::temp_directory_path() /
                ("pimdse_" + std::to_string(::getpid()) + "_" + std::to_string(counter_++) + extension)) {
        std::ofstream(path_) << content;
    }
    ~TemporaryFile() { std::filesystem::remove(path_); }
    TemporaryFile(TemporaryFile const&) = delete;
    TemporaryFile& operator=(TemporaryFile const&) = delete;
    [[nodiscard]] std::filesystem::path const& path() const { return path_; }

  private:
    inline static int counter_ = 0;
    std::filesystem::path path_;
};

}  // namespace pimdse::models::testing
