#include "dse/store/group_commit.hpp"

namespace pimdse::dse::store::journal {

GroupCommit::GroupCommit(base::DurableFile const& file, std::uint64_t first, std::uint32_t group,
                         std::chrono::milliseconds interval)
    : file_(file), group_(group), interval_(interval), written_(first), durable_(first), thread_([this] { run(); }) {}

GroupCommit::~GroupCommit() {
    {
        std::scoped_lock const lock(mutex_);
        stopping_ = true;
    }
    work_.notify_one();
    thread_.join();
}

void GroupCommit::written(std::uint64_t last) {
    bool wake = false;
    {
        std::scoped_lock const lock(mutex_);
        bool const idle = written_ == durable_;
        if (idle) oldest_ = Clock::now();
        wake = idle || (written_ - durable_ < group_ && last - durable_ >= group_);
        written_ = last;
    }
    if (wake) work_.notify_one();
}

void GroupCommit::wait() {
    std::unique_lock lock(mutex_);
    std::uint64_t const last = written_;
    awaited_ = last;
    work_.notify_one();
    progress_.wait(lock, [&] { return durable_ >= last || failure_; });
    if (failure_) std::rethrow_exception(failure_);
}

void GroupCommit::check() const {
    std::scoped_lock const lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
}

std::uint64_t GroupCommit::durable() const {
    std::scoped_lock const lock(mutex_);
    return durable_;
}

void GroupCommit::run() {
    std::unique_lock lock(mutex_);
    while (!failure_) {
        work_.wait(lock, [&] { return stopping_ || written_ != durable_; });
        if (written_ == durable_) return;
        work_.wait_until(lock, oldest_ + interval_,
                         [&] { return stopping_ || awaited_ > durable_ || written_ - durable_ >= group_; });
        sync_group(lock);
    }
}

void GroupCommit::sync_group(std::unique_lock<std::mutex>& lock) {
    std::uint64_t const last = written_;
    auto const started = Clock::now();
    std::exception_ptr failure;
    lock.unlock();
    try {
        file_.sync();
    } catch (base::StorageError const&) {
        failure = std::current_exception();
    }
    lock.lock();
    // After a failed sync, data in the page cache may be lost without another error, so the sync is not repeated.
    failure_ = failure;
    if (!failure) durable_ = last;
    oldest_ = started;
    progress_.notify_all();
}

}  // namespace pimdse::dse::store::journal
