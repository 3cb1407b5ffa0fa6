// The pass of the number-theoretic transform over Fr by decimation in frequency.
#include "cuzk/layout.cuh"
#include "cuzk/ntt/block_pass.cuh"

namespace cuzk::ntt {

CUZK_KERNEL(cuzk_ntt_frequency_fr)(PassParams p) { block_pass<InFrequency>(p); }

} // namespace cuzk::ntt
