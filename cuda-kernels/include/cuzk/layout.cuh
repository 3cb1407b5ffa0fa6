// The sizes of the types that cross from the host, as constants of the module: the host reads
// `cuzk_layout_<Type>` after loading and refuses a module that was made for another layout.
//
// Included by every `.cu`, once.
#pragma once

#include "cuzk/curve/g1.cuh"
#include "cuzk/curve/g2.cuh"
#include "cuzk/field/fr.cuh"

extern "C" {
__constant__ unsigned int cuzk_layout_Fr = sizeof(cuzk::field::Fr);
__constant__ unsigned int cuzk_layout_Fp = sizeof(cuzk::field::Fp);
__constant__ unsigned int cuzk_layout_G1 = sizeof(cuzk::curve::G1Affine);
__constant__ unsigned int cuzk_layout_G2 = sizeof(cuzk::curve::G2Affine);
}
