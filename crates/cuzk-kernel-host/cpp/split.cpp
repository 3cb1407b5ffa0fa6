// The split of a witness, block after block and thread after thread.
#include "cuzk/msm/split.cuh"

using namespace cuzk;
using namespace cuzk::msm;

extern "C" void cuzk_host_msm_split_count(const SplitParams *p, u64 blocks) {
    SplitShared shared;
    for (u64 block = 0; block < blocks; block++) split_count(*p, block, shared, SplitBlock{});
}
extern "C" void cuzk_host_msm_split_scan(const SplitScanParams *p) {
    SplitShared shared;
    split_scan(*p, shared, SplitBlock{});
}
extern "C" void cuzk_host_msm_split_write(const SplitParams *p, u64 blocks) {
    SplitShared shared;
    for (u64 block = 0; block < blocks; block++) split_write(*p, block, shared, SplitBlock{});
}
extern "C" void cuzk_host_msm_gather(const GatherParams *p) {
    for (u64 thread = 0; thread < p->n * p->pieces; thread++) gather(*p, thread);
}
