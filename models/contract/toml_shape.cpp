#include "models/contract/toml_shape.hpp"

#include <algorithm>
#include <cstddef>

namespace pimdse::models {
namespace {

/// Where the text that begins with a quote ends: behind the closing quotes, or at the end of the line or text.
std::size_t end_of_string(std::string_view text, std::size_t at) {
    char const quote = text[at];
    std::string_view const three = quote == '"' ? "\"\"\"" : "'''";
    bool const lines = text.substr(at).starts_with(three);
    for (at += lines ? 3 : 1; at < text.size(); ++at) {
        if (text[at] == '\\' && quote == '"') {
            ++at;
        } else if (lines ? text.substr(at).starts_with(three) : text[at] == quote) {
            return at + (lines ? 3 : 1);
        } else if (!lines && text[at] == '\n') {
            return at;
        }
    }
    return text.size();
}

class Depth {
  public:
    /// How deep it is behind this letter.
    int after(char letter) {
        if (letter == '[' || letter == '{') {
            ++open_;
            dots_ = 0;
        } else if (letter == ']' || letter == '}') {
            open_ = std::max(0, open_ - 1);
            dots_ = 0;
        } else if (letter == '.') {
            ++dots_;
        } else if (letter == ',' || letter == '=' || letter == '\n') {
            dots_ = 0;
        }
        return open_ + dots_;
    }

  private:
    int open_ = 0, dots_ = 0;
};

}  // namespace

int line_nested_beyond(std::string_view text, int deepest) {
    Depth depth;
    std::size_t at = 0;
    while (at < text.size()) {
        char const letter = text[at];
        if (letter == '"' || letter == '\'') {
            at = end_of_string(text, at);
        } else if (letter == '#') {
            at = std::min(text.find('\n', at), text.size());
        } else {
            if (depth.after(letter) > deepest) {
                return 1 +
                       static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
            }
            ++at;
        }
    }
    return 0;
}

}  // namespace pimdse::models
