// The pass of the number-theoretic transform over Fr by decimation in time.
#include "cuzk/layout.cuh"
#include "cuzk/ntt/block_pass.cuh"

namespace cuzk::ntt {

CUZK_KERNEL(cuzk_ntt_time_fr)(PassParams p) { block_pass<InTime>(p); }

} // namespace cuzk::ntt
