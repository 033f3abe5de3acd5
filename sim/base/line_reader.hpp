#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace pimdse::sim {

/// Lines of a file, which may be larger than the memory and may be compressed by gzip (recognised by its first bytes,
/// not by its name), or of a text.
class LineReader {
  public:
    /// Throws InputError if the file cannot be read or is a folder.
    explicit LineReader(std::filesystem::path const& file);
    /// The lines of a text that was read from the file `name`.
    LineReader(std::string text, std::string name);
    LineReader(LineReader&&) noexcept;
    LineReader& operator=(LineReader&&) noexcept;
    ~LineReader();

    /// The next line without its end (LF or CRLF), the first one without a byte order mark; nullopt at the end. Valid
    /// until the next call. Throws InputError if the file is damaged or cannot be read any further.
    [[nodiscard]] std::optional<std::string_view> next();
    /// Puts the last line back, which next() then reads again. Precondition: it is the first call since next().
    void put_back();
    /// What follows the last line that was read, all of it.
    [[nodiscard]] std::string rest();
    /// The number of the line that was read last; the first one has number 1.
    [[nodiscard]] std::int64_t line() const { return line_; }
    [[nodiscard]] std::string const& name() const { return name_; }
    /// Throws the InputError "NAME:LINE: problem", at the current line or another one.
    [[noreturn]] void refuse(std::string const& problem) const { refuse_at(line_, problem); }
    [[noreturn]] void refuse_at(std::int64_t line, std::string const& problem) const;

  private:
    struct File;
    /// Appends to the buffer what the file has next; false at its end.
    bool fill();

    std::string name_;
    std::unique_ptr<File> file_;  ///< nullptr: everything is in the buffer
    std::string buffer_;
    std::size_t at_ = 0, last_ = 0;  ///< of the next and of the last line in the buffer
    std::int64_t line_ = 0;
};

}  // namespace pimdse::sim
