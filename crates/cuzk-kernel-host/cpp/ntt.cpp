// The passes of the transform, block after block and thread after thread, on tiles of a size that
// makes many of them out of few elements.
#include "cuzk/ntt/pass.cuh"
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

template <class Decimation, u32 LOG_TILE> void run(const PassParams &p) {
    constexpr u32 THREADS = (1u << LOG_TILE) >> MAX_DEPTH;
    using Shared = Tile<LOG_TILE>;
    auto halves = std::make_unique<typename Shared::Half[]>(2 * Shared::PADDED);
    u64 blocks = p.log_n > LOG_TILE ? u64(1) << (p.log_n - LOG_TILE) : 1;
    for (u64 block = 0; block < blocks; block++) {
        pass<Decimation, LOG_TILE>(p, block, THREADS, Shared{halves.get()}, EachThread{THREADS});
    }
}

template <u32 LOG_TILE> void run_either(const PassParams &p, u32 in_time) {
    in_time ? run<InTime<false>, LOG_TILE>(p) : run<InFrequency<true>, LOG_TILE>(p);
}

} // namespace

extern "C" void cuzk_host_ntt_pass_fr(const PassParams *p, u32 log_tile, u32 in_time) {
    log_tile == 3   ? run_either<3>(*p, in_time)
    : log_tile == 5 ? run_either<5>(*p, in_time)
                    : run_either<11>(*p, in_time);
}
extern "C" void cuzk_host_ntt_twiddle_top_fr(const TwiddleTopParams *p) {
    for (u64 j = 0; j < p->m; j++) twiddle_top(*p, j);
}
extern "C" void cuzk_host_ntt_twiddle_level_fr(const TwiddleLevelParams *p) {
    for (u64 j = 0; j < p->m; j++) twiddle_level(*p, j);
}
extern "C" void cuzk_host_ntt_reverse_fr(const ReverseParams *p) {
    for (u64 i = 0; i < u64(1) << p->log_n; i++) reverse(*p, i);
}
