// The kernels of the transform, block after block and thread after thread; and its passes on tiles
// of a size that makes many of them out of few elements.
#include "cuzk/ntt/pass.cuh"
#include "cuzk/ntt/pointwise.cuh"
#include "cuzk/ntt/reverse.cuh"
#include "cuzk/ntt/table.cuh"

#include <memory>

using namespace cuzk;
using namespace cuzk::ntt;

namespace {

struct EachThread {
    u32 threads;
    template <class F> void operator()(const F &phase) const {
        for (u32 thread = 0; thread < threads; thread++) phase(thread);
    }
};

template <class Decimation, u32 LOG_TILE> void run(const PassParams &p, u64 blocks) {
    constexpr u32 THREADS = (1u << LOG_TILE) >> MAX_DEPTH;
    using Shared = Tile<LOG_TILE>;
    auto halves = std::make_unique<typename Shared::Half[]>(2 * Shared::PADDED);
    for (u64 block = 0; block < blocks; block++) {
        pass<Decimation>(p, block, THREADS, Shared{halves.get()}, EachThread{THREADS});
    }
}

template <u32 LOG_TILE> void run_either(const PassParams &p, u32 in_time) {
    u64 blocks = p.log_n > LOG_TILE ? u64(1) << (p.log_n - LOG_TILE) : 1;
    in_time ? run<InTime, LOG_TILE>(p, blocks) : run<InFrequency, LOG_TILE>(p, blocks);
}

} // namespace

extern "C" void cuzk_host_ntt_pass_fr(const PassParams *p, u32 log_tile, u32 in_time) {
    log_tile == 3   ? run_either<3>(*p, in_time)
    : log_tile == 5 ? run_either<5>(*p, in_time)
                    : run_either<10>(*p, in_time);
}
// The entry points, for `threads` threads in all.
extern "C" void cuzk_host_ntt_frequency_fr(const PassParams *p, u64 threads) {
    run<InFrequency, 10>(*p, threads >> (10 - MAX_DEPTH));
}
extern "C" void cuzk_host_ntt_time_fr(const PassParams *p, u64 threads) {
    run<InTime, 10>(*p, threads >> (10 - MAX_DEPTH));
}
extern "C" void cuzk_host_ntt_reverse_fr(const ReverseParams *p, u64 threads) {
    using Shared = Tile<LOG_REVERSED>;
    auto halves = std::make_unique<Shared::Half[]>(4 * Shared::PADDED);
    const Shared here{halves.get()}, there{halves.get() + 2 * Shared::PADDED};
    for (u64 block = 0; block < threads >> LOG_REVERSED; block++) {
        reverse(*p, block, here, there, EachThread{1u << LOG_REVERSED});
    }
}
extern "C" void cuzk_host_ntt_multiply_fr(const MultiplyParams *p, u64 threads) {
    for (u64 i = 0; i < threads; i++) multiply(*p, i);
}
extern "C" void cuzk_host_ntt_twiddle_top_fr(const TwiddleTopParams *p, u64 threads) {
    for (u64 j = 0; j < threads; j++) twiddle_top(*p, j);
}
extern "C" void cuzk_host_ntt_twiddle_level_fr(const TwiddleLevelParams *p, u64 threads) {
    for (u64 j = 0; j < threads; j++) twiddle_level(*p, j);
}
