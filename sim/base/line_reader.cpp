#include "sim/base/line_reader.hpp"

#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <zlib.h>
#include <cerrno>
#include <cstring>
#include <utility>

namespace pimdse::sim {
namespace {

constexpr unsigned part = 1U << 18;  ///< bytes that are read at once

}  // namespace

struct LineReader::File {
    explicit File(std::filesystem::path const& path) : stream(gzopen(path.c_str(), "rb")) {
        if (stream != nullptr) gzbuffer(stream, part);
    }
    File(File const&) = delete;
    File& operator=(File const&) = delete;
    ~File() {
        if (stream != nullptr) gzclose_r(stream);
    }
    gzFile stream;
};

LineReader::LineReader(std::filesystem::path const& file) : name_(file.string()) {
    // A folder opens as a file, but has no lines.
    std::error_code error;
    if (!std::filesystem::is_directory(file, error)) file_ = std::make_unique<File>(file);
    if (file_ == nullptr || file_->stream == nullptr) throw InputError(cannot_be_read(name_));
}

LineReader::LineReader(std::string text, std::string name) : name_(std::move(name)), buffer_(std::move(text)) {}

LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;
LineReader::~LineReader() = default;

bool LineReader::fill() {
    if (file_ == nullptr) return false;
    buffer_.erase(0, at_);
    at_ = 0;
    auto const before = buffer_.size();
    buffer_.resize(before + part);
    int const got = gzread(file_->stream, buffer_.data() + before, part);
    buffer_.resize(before + static_cast<std::size_t>(got > 0 ? got : 0));
    if (got > 0) return true;
    int code = Z_OK;
    std::string const why = gzerror(file_->stream, &code);
    // gzread returns 0 at the end of a truncated file, too; its error code is then Z_BUF_ERROR.
    bool const cut = got == 0 && code == Z_BUF_ERROR;
    if (got < 0 || cut)
        refuse_at(line_ + 1, fmt::format("the file cannot be read any further ({}). Is it complete?",
                                         code == Z_ERRNO ? std::strerror(errno)
                                         : cut           ? "the compressed data end too early"
                                                         : why));
    file_.reset();
    return false;
}

std::optional<std::string_view> LineReader::next() {
    std::size_t searched = 0, end = std::string::npos;
    while ((end = buffer_.find('\n', at_ + searched)) == std::string::npos) {
        searched = buffer_.size() - at_;
        if (!fill()) break;
    }
    if (end == std::string::npos && at_ == buffer_.size()) return std::nullopt;
    auto line = std::string_view(buffer_).substr(at_, end == std::string::npos ? end : end - at_);
    last_ = at_;
    at_ = end == std::string::npos ? buffer_.size() : end + 1;
    if (++line_ == 1) line = without_byte_order_mark(line);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

void LineReader::put_back() {
    at_ = last_;
    --line_;
}

std::string LineReader::rest() {
    while (fill()) {
    }
    return buffer_.substr(std::exchange(at_, buffer_.size()));
}

void LineReader::refuse_at(std::int64_t line, std::string const& problem) const {
    throw InputError("{}:{}: {}", name_, line, problem);
}

}  // namespace pimdse::sim
