#include "models/upmem/shared_bank.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

namespace pimdse::models::upmem {
namespace {

/// What the host does for a stream, in this order.
enum class HostStage : std::uint8_t { input, offload, load };

class SharedBankRun {
  public:
    SharedBankRun(std::span<SharedStream const> streams, std::span<SharedRates const> rates)
        : streams_(streams), rates_(rates) {
        start_host();
    }

    SharedBank run() && {
        while (kernel_ < streams_.size()) step();
        return std::move(result_);
    }

  private:
    [[nodiscard]] bool host_works() const { return stream_ < streams_.size(); }
    [[nodiscard]] bool kernel_runs() const { return kernel_ < result_.kernels.size(); }
    [[nodiscard]] bool shares() const { return host_works() && stage_ == HostStage::input && kernel_runs(); }

    /// Advances to the next end of a stage.
    void step() {
        SharedRates rates{1.0, 1.0, 0.0};
        if (shares()) rates = rates_[kernel_];
        if (host_works() && stage_ == HostStage::load && kernel_runs()) rates.input = 0.0;
        constexpr double forever = std::numeric_limits<double>::infinity();
        double const to_host = host_works() && rates.input > 0.0 ? host_left_ / rates.input : forever;
        double const to_kernel = kernel_runs() ? kernel_left_ / rates.kernel : forever;
        double const passed = std::min(to_host, to_kernel);
        if (kernel_runs() && kernel_left_ > 0.0)
            result_.rows += rates.rows * passed * rates.kernel / streams_[kernel_].kernel.si;
        if (shares()) result_.queued += sim::Time{passed * (1.0 - rates.input)};
        now_ += passed;
        host_left_ = to_host <= to_kernel ? 0.0 : host_left_ - passed * rates.input;
        kernel_left_ = to_kernel <= to_host ? 0.0 : kernel_left_ - passed * rates.kernel;
        if (to_kernel <= to_host) end_kernel();
        if (to_host <= to_kernel) end_host();
    }

    void end_kernel() {
        result_.kernels.back().end = sim::Time{now_};
        ++kernel_;
        start_kernel();
    }
    void start_kernel() {
        if (kernel_runs() || kernel_ >= ready_) return;
        result_.kernels.push_back({sim::Time{now_}, sim::Time{now_}});
        kernel_left_ = streams_[kernel_].kernel.si;
    }
    void start_host() {
        if (!host_works()) return;
        auto const& s = streams_[stream_];
        host_left_ = std::array{s.input.si, s.offload.si, s.load.si}[static_cast<std::size_t>(stage_)];
        host_start_ = now_;
    }
    void end_host() {
        Interval const done{sim::Time{host_start_}, sim::Time{now_}};
        if (stage_ == HostStage::input) {
            result_.inputs.push_back(done);
            stage_ = HostStage::offload;
        } else if (stage_ == HostStage::offload) {
            result_.offloads.push_back(done);
            stage_ = HostStage::load;
        }
        if (loaded_) result_.loads.push_back({done.end - streams_[stream_].load, done.end});
        bool const loads = streams_[stream_].load.si > 0.0;
        if (stage_ == HostStage::load && (loaded_ || !loads)) {
            stage_ = HostStage::input;
            loaded_ = false;
            ready_ = ++stream_;
            start_host();
            start_kernel();
            return;
        }
        loaded_ = stage_ == HostStage::load;
        start_host();
    }

    std::span<SharedStream const> streams_;
    std::span<SharedRates const> rates_;
    double now_ = 0.0, host_left_ = 0.0, kernel_left_ = 0.0, host_start_ = 0.0;
    std::size_t stream_ = 0, kernel_ = 0;  ///< whose input is sent; whose kernel runs or is next
    std::size_t ready_ = 0;                ///< kernels before this one may start
    HostStage stage_ = HostStage::input;
    bool loaded_ = false;  ///< whether the stage `load` is being served
    SharedBank result_;
};

}  // namespace

Sharing sharing_of(SharedStream const& s, HostAccess const& t) {
    double const n = s.requests, busy = std::min(s.busy, s.kernel).si;
    if (n <= 0.0 || s.kernel.si <= 0.0 || !(t.interval.si < std::numeric_limits<double>::infinity()))
        return {0.0, n <= 0.0 ? busy : 0.0, 0.0};
    double const interval = std::max(t.interval, t.access).si, access = t.access.si, reopen = t.reopen.si;
    double const met = std::min(1.0, s.kernel.si / (n * interval));
    double const kept = busy / n + met * reopen;
    double const lost = kept >= interval ? kept - 0.5 * interval : 0.5 * kept * kept / interval;
    return {n * met * (reopen + 0.5 * access * access / interval),
            n * (lost + met * std::max(0.0, reopen + access - interval)), 2.0 * n * met};
}

SharedRates shared_rates(SharedStream const& s, HostAccess const& t) {
    auto const [longer, lost, rows] = sharing_of(s, t);
    double const taken = s.kernel.si + longer;
    if (taken <= 0.0) return {};
    SharedRates const rates{1.0 - lost / taken, s.kernel.si / taken, rows};
    return rates.input + rates.kernel > 1.0 ? rates : SharedRates{};
}

SharedBank share_bank(std::span<SharedStream const> streams, std::span<SharedRates const> rates) {
    sim::expects(rates.size() == streams.size(), "every kernel has its rates");
    return SharedBankRun(streams, rates).run();
}

SharedBank share_bank(std::span<SharedStream const> streams, HostAccess const& timing) {
    std::vector<SharedRates> rates;
    rates.reserve(streams.size());
    for (auto const& stream : streams) rates.push_back(shared_rates(stream, timing));
    return share_bank(streams, rates);
}

}  // namespace pimdse::models::upmem
