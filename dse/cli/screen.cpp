#include "dse/cli/screen.hpp"

#include <sys/ioctl.h>
#include <unistd.h>
#include <charconv>
#include <cstdlib>

namespace pimdse::dse::cli {
namespace {

constexpr std::size_t narrowest = 40;

std::size_t width_said() {
    char const* const columns = std::getenv("COLUMNS");
    std::string_view const text = columns == nullptr ? "" : columns;
    std::size_t width = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
    return error == std::errc{} && end == text.data() + text.size() ? width : 0;
}

}  // namespace

std::size_t screen_width() {
    if (auto const said = width_said(); said > 0) return said < narrowest ? narrowest : said;
    winsize size{};
    if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 0;
    return size.ws_col < narrowest ? narrowest : size.ws_col;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
    if (width == 0) return std::string(text);
    std::string out;
    std::size_t at = 0, begun = 0;  // how wide the line is; how many columns of it are indentation
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] == '\n') {
            out += text[i++];
            at = begun = 0;
            continue;
        }
        auto const word_begin = text.find_first_not_of(' ', i);
        auto const word_end = text.find_first_of(" \n", word_begin == text.npos ? text.size() : word_begin);
        auto const piece = text.substr(i, word_end == text.npos ? text.npos : word_end - i);
        auto const word = piece.substr(std::min(piece.size(), word_begin == text.npos ? piece.size() : word_begin - i));
        if (at > begun && at + piece.size() > width) {
            i += piece.size();
            if (word.empty()) continue;  // spaces before the end of a line
            out += '\n' + std::string(indent, ' ') + std::string(word);
            at = indent + word.size();
            begun = indent;
        } else {
            i += piece.size();
            out += piece;
            at += piece.size();
        }
    }
    return out;
}

}  // namespace pimdse::dse::cli
