#pragma once

#include "dse/store/durable_file.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>

namespace pimdse::dse::store::journal {

/// Makes records durable in groups, from a thread of its own: while one sync runs, the next group gathers, so that slow
/// disks cost latency and not throughput. Records are told by number; the file must outlive this.
class GroupCommit {
  public:
    /// `first` records are durable already. A sync begins when `group` records wait or the oldest has waited for
    /// `interval`.
    GroupCommit(DurableFile const& file, std::uint64_t first, std::uint32_t group, std::chrono::milliseconds interval);
    /// Makes what was written durable; a failure is lost.
    ~GroupCommit();
    GroupCommit(GroupCommit const&) = delete;
    GroupCommit& operator=(GroupCommit const&) = delete;

    /// Records up to this number have been written.
    void written(std::uint64_t last);
    /// Returns when everything written is durable. Throws the StorageError of a sync that failed.
    void wait();
    /// Throws the StorageError of a sync that failed, if one did.
    void check() const;
    [[nodiscard]] std::uint64_t durable() const;

  private:
    using Clock = std::chrono::steady_clock;
    void run();
    void sync_group(std::unique_lock<std::mutex>& lock);

    DurableFile const& file_;
    std::uint32_t group_;
    std::chrono::milliseconds interval_;
    mutable std::mutex mutex_;
    std::condition_variable work_, progress_;
    std::uint64_t written_, durable_;
    std::uint64_t awaited_ = 0;   ///< somebody waits for this record
    Clock::time_point oldest_{};  ///< no record that is not durable was written before
    bool stopping_ = false;
    std::exception_ptr failure_;
    std::thread thread_;
};

}  // namespace pimdse::dse::store::journal
