// Points of G1 for tests and for measuring: many from few, and chains of additions.
#include "cuzk/layout.cuh"
#include "cuzk/testing/chain.cuh"
#include "cuzk/testing/points.cuh"

namespace cuzk::testing {
using field::Fp;

// The same loop at two occupancies.
CUZK_KERNEL(cuzk_testing_add_chain_g1)(ChainParams p) { add_chain<Fp>(p); }
CUZK_KERNEL(cuzk_testing_add_chain_three_g1)(ChainParams p) { add_chain<Fp>(p); }
CUZK_KERNEL(cuzk_testing_extend_g1)(ExtendParams p) { extend<Fp>(p, thread_index()); }

} // namespace cuzk::testing
