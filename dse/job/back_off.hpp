#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace pimdse::dse::job {

/// Sleeps longer the longer nothing happens: 50 us up to 500 us, so that waiting costs no core and little delay.
class BackOff {
  public:
    void something_happened() { sleep_ = shortest; }
    void nothing_happened() {
        std::this_thread::sleep_for(sleep_);
        sleep_ = std::min(sleep_ * 2, longest);
    }

  private:
    static constexpr std::chrono::microseconds shortest{50};
    static constexpr std::chrono::microseconds longest{500};
    std::chrono::microseconds sleep_{shortest};
};

}  // namespace pimdse::dse::job
