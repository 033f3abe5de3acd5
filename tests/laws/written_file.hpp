#pragma once

#include <fmt/format.h>
#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <string>

namespace pimdse::laws {

/// A file of a user's own while it lives; what it holds may be written anew.
class WrittenFile {
  public:
    explicit WrittenFile(std::string const& name, std::string const& content = "")
        : path_(std::filesystem::temp_directory_path() / fmt::format("pimdse_{}_{}.toml", name, ::getpid())) {
        write(content);
    }
    ~WrittenFile() { std::filesystem::remove(path_); }
    WrittenFile(WrittenFile const&) = delete;
    WrittenFile& operator=(WrittenFile const&) = delete;

    void write(std::string const& content) const { std::ofstream(path_) << content; }
    [[nodiscard]] std::string path() const { return path_.string(); }

  private:
    std::filesystem::path path_;
};

}  // namespace pimdse::laws
