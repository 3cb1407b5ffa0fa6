// Points of G2 for tests and for measuring: many from few, and a chain of additions.
#include "cuzk/layout.cuh"
#include "cuzk/testing/chain.cuh"
#include "cuzk/testing/points.cuh"

namespace cuzk::testing {
using field::Fp2;

CUZK_KERNEL(cuzk_testing_add_chain_g2)(ChainParams p) { add_chain<Fp2>(p); }
CUZK_KERNEL(cuzk_testing_extend_g2)(ExtendParams p) { extend<Fp2>(p, thread_index()); }

} // namespace cuzk::testing
