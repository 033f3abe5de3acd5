#!/usr/bin/env bash
# SimGrid 3.32: 64 bytes over a link with a latency of 1 us arrive after 13 us; 200 GB/s carry 21 GB/s.
#
# Guess: size / bandwidth + latency: 1.00064 us for 64 bytes at 100 GB/s, 5.1 ms for 1 GB over 200 GB/s and 100 us.
# Seen:  the model by default (LV08) multiplies each latency by 13.01 and the bandwidth by 0.97. And no flow is faster
#        than a TCP window of 4 MiB in a round trip: half the window per latency, 21 GB/s at 100 us, also in the
#        plain model (CM02), which keeps 5 % for acknowledgements. With CM02, network/TCP-gamma:0 and
#        network/crosstraffic:0 the guess is right to the last digit.
# Who:   collectives of accelerators over links of NVLink's, UALink's or InfiniBand's kind, which have no TCP.
# Why right to expect: a platform file states the latency and the bandwidth of a link. The manual has the factors, which
#        stand for TCP on clusters; no message names them at run time.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs g++
debian libsimgrid3.32=3.32-2+b2 libsimgrid-dev=3.32-2+b2 libboost-context1.74.0=1.74.0+ds1-21 \
    libboost-stacktrace1.74.0=1.74.0+ds1-21 libns3.37=3.37-2 libgsl27=2.7.1+dfsg-5+deb12u1 \
    libgslcblas0=2.7.1+dfsg-5+deb12u1

cat >send.cpp <<'CPP'
#include <cstdio>
#include <simgrid/s4u.hpp>
#include <string>
int main(int count, char *arguments[]) {
    simgrid::s4u::Engine engine(&count, arguments);
    engine.load_platform("platform.xml");
    const double size = std::stod(arguments[1]);
    auto *mailbox = simgrid::s4u::Mailbox::by_name("mailbox");
    simgrid::s4u::Actor::create("from", engine.host_by_name("a"), [=] {
        static int nothing;
        mailbox->put(&nothing, size);
        std::printf("%.0f bytes: %.9g us\n", size, simgrid::s4u::Engine::get_clock() * 1e6);
    });
    simgrid::s4u::Actor::create("to", engine.host_by_name("b"), [=] { mailbox->get<int>(); });
    engine.run();
}
CPP
libraries=$work/unpacked/usr/lib/x86_64-linux-gnu
g++ -std=c++17 -I"$work/unpacked/usr/include" send.cpp "$libraries/libsimgrid.so" -Wl,--allow-shlib-undefined -o send
platform() {
    cat >platform.xml <<XML
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="all" routing="Full">
  <host id="a" speed="1Tf"/><host id="b" speed="1Tf"/><link id="link" bandwidth="$1" latency="$2"/>
  <route src="a" dst="b"><link_ctn id="link"/></route>
</zone></platform>
XML
}
seen=$(
    plain="--cfg=network/model:CM02 --log=root.thres:error"
    for link in "100GBps 1us 64" "200GBps 100us 1e9"; do
        read -r bandwidth latency size <<<"$link"
        platform "$bandwidth" "$latency"
        echo "$bandwidth, $latency: $(./send "$size")"
        echo "  CM02: $(./send "$size" $plain)"
        echo "  without TCP: $(./send "$size" $plain --cfg=network/TCP-gamma:0 --cfg=network/crosstraffic:0)"
    done
)
same "$seen" <<'EXPECTED'
100GBps, 1us: 64 bytes: 13.0106928 us
  CM02: 64 bytes: 1.000672 us
  without TCP: 64 bytes: 1.00064 us
200GBps, 100us: 1000000000 bytes: 50459.4699 us
  CM02: 1000000000 bytes: 47783.7158 us
  without TCP: 1000000000 bytes: 5100 us
EXPECTED
