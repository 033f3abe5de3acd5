#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Chosen parts of JSON texts, without building the rest (sim/base/json.hpp does that): for files of many records. A
/// value is its JSON text, within the text that was read. All throw Json::Error, with its byte, for what is not JSON.
namespace pimdse::sim {

/// The end of the JSON value that begins at `text[at]`, blanks before it skipped.
[[nodiscard]] std::size_t json_end(std::string_view text, std::size_t at = 0);

/// `value` without the quotes if it is a string (escapes stay), "" if it is null.
[[nodiscard]] std::string_view json_word(std::string_view value);

/// Finds members of objects by their paths, such as "metadata.request_start_ns".
class JsonMembersAt {
  public:
    explicit JsonMembersAt(std::vector<std::string> const& paths);
    /// The values of the paths in an object, in their order; "" for one that is not there, and the last one of several.
    /// Valid until the next call.
    [[nodiscard]] std::span<std::string_view const> in(std::string_view object);

  private:
    struct Node {
        std::string key;
        std::vector<std::size_t> children;
        std::optional<std::size_t> path;
    };
    std::size_t read(std::string_view text, std::size_t at, std::size_t node);

    std::vector<Node> nodes_;
    std::vector<std::string_view> found_;
};

/// Paths of all members of an object, in its order: those of objects in it instead of the objects.
[[nodiscard]] std::vector<std::string> json_paths(std::string_view object);

/// The values of an array one after another, or those of a text of several values (a text of one object has one).
class JsonValues {
  public:
    explicit JsonValues(std::string_view text);
    [[nodiscard]] std::optional<std::string_view> next();
    /// Where the last value begins in the text.
    [[nodiscard]] std::size_t begin() const { return begin_; }

  private:
    std::string_view text_;
    std::size_t at_ = 0, begin_ = 0;
    bool array_ = false, first_ = true;
};

}  // namespace pimdse::sim
