#include "models/upmem/shared_bank.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

namespace pimdse::models::upmem {
namespace {

/// Shares of their own rates at which an input and a kernel progress together.
struct SharedRates {
    double input = 0.0, kernel = 1.0;
};

SharedRates rates_of(SharedStream const& of_kernel, sim::Time turn) {
    double const kernel = of_kernel.kernel.si, more = of_kernel.requests * turn.si;
    if (kernel <= 0.0) return {};
    double const busy = std::min(of_kernel.busy.si, kernel);
    SharedRates const rates{(kernel - busy) / (kernel + more), kernel / (kernel + more)};
    return rates.input + rates.kernel > 1.0 ? rates : SharedRates{};
}

/// What the host does for a stream, in this order.
enum class HostStage : std::uint8_t { input, offload, load };

class SharedBankRun {
  public:
    SharedBankRun(std::span<SharedStream const> streams, sim::Time turn) : streams_(streams), turn_(turn) {
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
        SharedRates rates{1.0, 1.0};
        if (shares()) rates = rates_of(streams_[kernel_], turn_);
        if (host_works() && stage_ == HostStage::load && kernel_runs()) rates.input = 0.0;
        constexpr double never = std::numeric_limits<double>::infinity();
        double const to_host = host_works() && rates.input > 0.0 ? host_left_ / rates.input : never;
        double const to_kernel = kernel_runs() ? kernel_left_ / rates.kernel : never;
        double const passed = std::min(to_host, to_kernel);
        if (shares() && rates.input > 0.0) {
            auto const& running = streams_[kernel_];
            result_.turns += running.requests * passed * rates.kernel / running.kernel.si;
        }
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
    sim::Time turn_;
    double now_ = 0.0, host_left_ = 0.0, kernel_left_ = 0.0, host_start_ = 0.0;
    std::size_t stream_ = 0, kernel_ = 0;  ///< whose input is sent; whose kernel runs or is next
    std::size_t ready_ = 0;                ///< kernels before this one may start
    HostStage stage_ = HostStage::input;
    bool loaded_ = false;  ///< whether the stage `load` is being served
    SharedBank result_;
};

}  // namespace

SharedBank share_bank(std::span<SharedStream const> streams, sim::Time turn) {
    return SharedBankRun(streams, turn).run();
}

}  // namespace pimdse::models::upmem
