#include "dse/served/lines.hpp"

#include <poll.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace pimdse::dse::served {

Lines::Lines(int descriptor) : descriptor_(descriptor) {
    if (::pipe(wake_) != 0) wake_[0] = wake_[1] = -1;
    thread_ = std::thread([this] { read(); });
}

Lines::~Lines() {
    {
        std::lock_guard const lock(mutex_);
        stopped_ = true;
    }
    room_.notify_all();
    if (wake_[1] >= 0) ::close(wake_[1]);
    thread_.join();
    if (wake_[0] >= 0) ::close(wake_[0]);
}

std::optional<GivenLine> Lines::take() {
    std::lock_guard const lock(mutex_);
    if (waiting_.empty()) return std::nullopt;
    GivenLine line = std::move(waiting_.front());
    waiting_.pop_front();
    room_.notify_one();
    return line;
}

bool Lines::over() const {
    std::lock_guard const lock(mutex_);
    return ended_ && waiting_.empty();
}

void Lines::read() {
    std::array<char, 1 << 16> part{};
    while (true) {
        std::array<pollfd, 2> ends{pollfd{descriptor_, POLLIN, 0}, pollfd{wake_[0], POLLIN, 0}};
        if (::poll(ends.data(), ends.size(), -1) < 0 && errno == EINTR) continue;
        if (ends[1].revents != 0) break;
        auto const count = ::read(descriptor_, part.data(), part.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0 || !take_in(part.data(), static_cast<std::size_t>(count))) break;
    }
    if (!begun_.text.empty() || begun_.too_long) put();  // a last line without an end
    std::lock_guard const lock(mutex_);
    ended_ = true;
}

bool Lines::take_in(char const* from, std::size_t count) {
    while (count > 0) {
        auto const* const end = static_cast<char const*>(std::memchr(from, '\n', count));
        std::size_t const length = end != nullptr ? static_cast<std::size_t>(end - from) : count;
        begun_.too_long = begun_.too_long || begun_.text.size() + length > longest;
        if (begun_.too_long)
            begun_.text.clear();
        else
            begun_.text.append(from, length);
        if (end == nullptr) return true;
        if (!put()) return false;
        from += length + 1;
        count -= length + 1;
    }
    return true;
}

/// False when nobody will take it.
bool Lines::put() {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return stopped_ || waiting_.size() < most_waiting; });
    if (stopped_) return false;
    waiting_.push_back(std::move(begun_));
    begun_ = {};
    return true;
}

Replies::Replies(int descriptor) : descriptor_(descriptor), thread_([this] { write(); }) {}

Replies::~Replies() {
    finish();
    thread_.join();
}

void Replies::send(std::string line) {
    std::lock_guard const lock(mutex_);
    if (lost_ || finished_) return;
    waiting_ += line;
    waiting_ += '\n';
    changed_.notify_all();
}

void Replies::finish() {
    std::unique_lock lock(mutex_);
    finished_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return lost_ || (waiting_.empty() && !writing_); });
}

bool Replies::lost() const {
    std::lock_guard const lock(mutex_);
    return lost_;
}

void Replies::write() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [&] { return finished_ || !waiting_.empty(); });
        if (waiting_.empty()) return;
        std::string const text = std::exchange(waiting_, {});
        writing_ = true;
        lock.unlock();
        bool written = true;
        for (std::size_t at = 0; written && at < text.size();) {
            auto const count = ::write(descriptor_, text.data() + at, text.size() - at);
            if (count > 0)
                at += static_cast<std::size_t>(count);
            else
                written = count < 0 && errno == EINTR;
        }
        lock.lock();
        writing_ = false;
        lost_ = lost_ || !written;
        changed_.notify_all();
        if (lost_) return;
    }
}

}  // namespace pimdse::dse::served
