#pragma once

#include "dse/base/durable_file.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>

namespace pimdse::dse::store::journal {

/// Makes records durable in groups, in a separate thread: while one sync runs, the next group accumulates, so that slow
/// disks cost latency and not throughput. Records are identified by number; the file must outlive this object.
class GroupCommit {
  public:
    /// `first` records are durable already. A sync starts when `group` records wait or the oldest has waited for
    /// `interval`.
    GroupCommit(base::DurableFile const& file, std::uint64_t first, std::uint32_t group,
                std::chrono::milliseconds interval);
    /// Makes the written records durable; a failure is lost.
    ~GroupCommit();
    GroupCommit(GroupCommit const&) = delete;
    GroupCommit& operator=(GroupCommit const&) = delete;

    /// Notes that records up to this number have been written.
    void written(std::uint64_t last);
    /// Returns when all written records are durable. Throws the StorageError of a sync that failed.
    void wait();
    /// Throws the StorageError of a sync that failed, if one did.
    void check() const;
    [[nodiscard]] std::uint64_t durable() const;

  private:
    using Clock = std::chrono::steady_clock;
    void run();
    void sync_group(std::unique_lock<std::mutex>& lock);

    base::DurableFile const& file_;
    std::uint32_t group_;
    std::chrono::milliseconds interval_;
    mutable std::mutex mutex_;
    std::condition_variable work_, progress_;
    std::uint64_t written_, durable_;
    std::uint64_t awaited_ = 0;   ///< number of the record for which wait() waits
    Clock::time_point oldest_{};  ///< no record that is not yet durable was written earlier
    bool stopping_ = false;
    std::exception_ptr failure_;
    std::thread thread_;
};

}  // namespace pimdse::dse::store::journal
