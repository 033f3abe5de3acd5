#!/usr/bin/env bash
# oneDNN 2.6.3: the minimum of 1, NaN and 3 is 3, exp(NaN) is infinity, and the maximum of two minus infinities is
# -3.4e38.
#
# Guess: NaN becomes 0 where it is stored as an integer and stays NaN elsewhere; minus infinity is minus infinity.
# Seen:  a reduction starts again behind a NaN, so what stands before it does not count: min(1, NaN, 3) is 3. exp(NaN)
#        is infinity, relu and clip make it 0. softmax of 1, NaN, 2 is 0, NaN, 0. Maxima of reductions and pooling
#        begin at the least finite number. Sums and tanh keep NaN; stored as an integer it is 0.
# Who:   emulation of accelerators on a host: a NaN of a broken kernel or scale goes, and a masked row has a finite
#        maximum, so that the mask is no longer seen in it.
# Why right to expect: IEEE 754 has NaN for exp(NaN) and either NaN or 1 for the minimum of 1, NaN and 3; the
#        library's reference formulas are those of the operations, and no flag for fast arithmetic is set.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs g++
debian libdnnl2=2.6.3-1 libdnnl-dev=2.6.3-1
export DNNL_MAX_CPU_ISA=SSE41 OMP_NUM_THREADS=1

cat >nan.cpp <<'CPP'
#include <cmath>
#include <cstdio>
#include <dnnl.hpp>
#include <vector>
using namespace dnnl;
using type = memory::data_type;
using tag = memory::format_tag;
engine host(engine::kind::cpu, 0);
stream queue(host);

template <class Number>
memory row(std::vector<Number>& numbers, type kind) {
    return {{{1, 1, 1, static_cast<memory::dim>(numbers.size())}, kind, tag::nchw}, host, numbers.data()};
}
template <class Number>
void show(const char* name, const std::vector<float>& from, const std::vector<Number>& to) {
    std::printf("%s of", name);
    for (float number : from) std::printf(" %g", number);
    std::printf(":");
    for (Number number : to) std::printf(" %g", std::fabs(double(number)) >= 0 ? double(number) : NAN);
    std::puts("");
}
template <class Primitive, class Description>
void run(const Description& description, memory from, memory to) {
    Primitive(typename Primitive::primitive_desc(description, host))
        .execute(queue, {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}});
    queue.wait();
}
void function(const char* name, algorithm kind, std::vector<float> from, float alpha, float beta) {
    std::vector<float> to(from.size());
    memory a = row(from, type::f32), b = row(to, type::f32);
    run<eltwise_forward>(
        eltwise_forward::desc(prop_kind::forward_inference, kind, a.get_desc(), alpha, beta), a, b);
    show(name, from, to);
}
void reduced(const char* name, algorithm kind, std::vector<float> from) {
    std::vector<float> to(1);
    memory a = row(from, type::f32), b = row(to, type::f32);
    run<reduction>(reduction::desc(kind, a.get_desc(), b.get_desc(), 0, 0), a, b);
    show(name, from, to);
}
void pooled(std::vector<float> from) {
    std::vector<float> to(1);
    memory a = row(from, type::f32), b = row(to, type::f32);
    const memory::dims window{1, static_cast<memory::dim>(from.size())}, none{0, 0};
    run<pooling_forward>(pooling_forward::desc(prop_kind::forward_inference, algorithm::pooling_max, a.get_desc(),
                                               b.get_desc(), window, window, none, none), a, b);
    show("max pooling", from, to);
}
void softmax(std::vector<float> from) {
    std::vector<float> to(from.size());
    memory a = row(from, type::f32), b = row(to, type::f32);
    run<softmax_forward>(softmax_forward::desc(prop_kind::forward_inference, a.get_desc(), 3), a, b);
    show("softmax", from, to);
}
template <class Number>
void stored(const char* name, type kind, std::vector<float> from) {
    std::vector<Number> to(from.size());
    memory a = row(from, type::f32), b = row(to, kind);
    reorder(a, b).execute(queue, a, b);
    queue.wait();
    show(name, from, to);
}
int main() {
    const float inf = INFINITY;
    reduced("min", algorithm::reduction_min, {1, NAN, 3});
    reduced("min", algorithm::reduction_min, {1, 3, 2});
    reduced("max", algorithm::reduction_max, {5, NAN, 3});
    reduced("sum", algorithm::reduction_sum, {1, NAN, 3});
    reduced("max", algorithm::reduction_max, {-inf, -inf});
    reduced("min", algorithm::reduction_min, {inf, inf});
    pooled({5, NAN, 3});
    pooled({-inf, -inf});
    function("exp", algorithm::eltwise_exp, {NAN, -inf, 1}, 0, 0);
    function("relu", algorithm::eltwise_relu, {NAN, -1, 1}, 0, 0);
    function("clip", algorithm::eltwise_clip, {NAN, -1, 9}, 0, 6);
    function("tanh", algorithm::eltwise_tanh, {NAN, -inf, 0}, 0, 0);
    softmax({1, NAN, 2});
    stored<int8_t>("8 bits", type::s8, {NAN, 300, -1.5f});
    stored<uint8_t>("8 bits without a sign", type::u8, {NAN, 300, -1.5f});
}
CPP
g++ -O1 -isystem unpacked/usr/include -isystem unpacked/usr/include/x86_64-linux-gnu nan.cpp -o nan \
  -Lunpacked/usr/lib/x86_64-linux-gnu -ldnnl
same "$(./nan)" <<'EXPECTED'
min of 1 nan 3: 3
min of 1 3 2: 1
max of 5 nan 3: 3
sum of 1 nan 3: nan
max of -inf -inf: -3.40282e+38
min of inf inf: 3.40282e+38
max pooling of 5 nan 3: 5
max pooling of -inf -inf: -3.40282e+38
exp of nan -inf 1: inf 0 2.71828
relu of nan -1 1: 0 0 1
clip of nan -1 9: 0 0 6
tanh of nan -inf 0: nan -1 0
softmax of 1 nan 2: 0 nan 0
8 bits of nan 300 -1.5: 0 127 -2
8 bits without a sign of nan 300 -1.5: 0 255 0
EXPECTED
