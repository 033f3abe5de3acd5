#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace pimdse::models::text::test {

/// A folder that goes away with the test.
class Folder {
  public:
    Folder() {
        auto name = (std::filesystem::temp_directory_path() / "pimdse_text_XXXXXX").string();
        if (::mkdtemp(name.data()) != nullptr) path_ = name;
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(Folder const&) = delete;
    Folder& operator=(Folder const&) = delete;

    [[nodiscard]] std::filesystem::path operator/(std::string const& name) const { return path_ / name; }
    /// Writes a file, whose folder is made, and returns its path.
    [[nodiscard]] std::filesystem::path with(std::string const& name, std::string const& text) const {
        std::filesystem::create_directories((path_ / name).parent_path());
        std::ofstream(path_ / name, std::ios::binary) << text;
        return path_ / name;
    }

  private:
    std::filesystem::path path_;
};

/// A small machine that runs.
inline std::string machine_text(std::string const& name, std::string const& summary = "a card") {
    return "schema = 1\nname = \"" + name + "\"\nsummary = \"" + summary + "\"\n" +
           R"([memory.stack]
kind = "rate"
bandwidth = "1 TB/s"
capacity = "64 GiB"
[compute.cores]
kind = "roof"
rate = "1 TFLOP/s"
[run]
hold = { weights = "stack", kv = "stack" }
"*" = "cores"
)";
}

}  // namespace pimdse::models::text::test
