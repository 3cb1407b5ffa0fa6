// One carry chain: the additions, subtractions and multiply-adds through which a carry travels.
// Every inline PTX block of the project is here.
//
// On a device the carry lives in the flag CC.CF, which only the instructions below write; they are
// volatile, so the compiler keeps their order, and nothing that it schedules between them touches
// the flag. On the host the flag is a member, and each operation is its definition in 64 bits.
//
// An operation is named as in PTX: `_cc` writes the carry, a `c` before it (`addc`, `madc`) reads
// the carry. For a subtraction the carry is the borrow.
#pragma once

#include "cuzk/config.cuh"

namespace cuzk::arith {

#ifdef __CUDA_ARCH__

struct Carry {
    CUZK_DEVICE u32 add_cc(u32 a, u32 b) {
        u32 r;
        asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
        return r;
    }
    CUZK_DEVICE u32 addc_cc(u32 a, u32 b) {
        u32 r;
        asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
        return r;
    }
    CUZK_DEVICE u32 addc(u32 a, u32 b) {
        u32 r;
        asm volatile("addc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
        return r;
    }
    CUZK_DEVICE u32 sub_cc(u32 a, u32 b) {
        u32 r;
        asm volatile("sub.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
        return r;
    }
    CUZK_DEVICE u32 subc_cc(u32 a, u32 b) {
        u32 r;
        asm volatile("subc.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
        return r;
    }
    CUZK_DEVICE u32 subc(u32 a, u32 b) {
        u32 r;
        asm volatile("subc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
        return r;
    }
    // A pair `mad_lo_cc`, `madc_hi_cc` on the same factors becomes one IMAD.WIDE.U32.
    CUZK_DEVICE u32 mad_lo_cc(u32 a, u32 b, u32 c) {
        u32 r;
        asm volatile("mad.lo.cc.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
        return r;
    }
    CUZK_DEVICE u32 madc_lo_cc(u32 a, u32 b, u32 c) {
        u32 r;
        asm volatile("madc.lo.cc.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
        return r;
    }
    CUZK_DEVICE u32 madc_hi_cc(u32 a, u32 b, u32 c) {
        u32 r;
        asm volatile("madc.hi.cc.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
        return r;
    }
    CUZK_DEVICE u32 madc_hi(u32 a, u32 b, u32 c) {
        u32 r;
        asm volatile("madc.hi.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
        return r;
    }
};

#else

struct Carry {
    u32 flag = 0;

    inline u32 add_cc(u32 a, u32 b) { return keep(u64(a) + b); }
    inline u32 addc_cc(u32 a, u32 b) { return keep(u64(a) + b + flag); }
    inline u32 addc(u32 a, u32 b) { return a + b + flag; }

    inline u32 sub_cc(u32 a, u32 b) { return keep_borrow(u64(a) - b); }
    inline u32 subc_cc(u32 a, u32 b) { return keep_borrow(u64(a) - b - flag); }
    inline u32 subc(u32 a, u32 b) { return a - b - flag; }

    inline u32 mad_lo_cc(u32 a, u32 b, u32 c) { return keep(u64(a * b) + c); }
    inline u32 madc_lo_cc(u32 a, u32 b, u32 c) { return keep(u64(a * b) + c + flag); }
    inline u32 madc_hi_cc(u32 a, u32 b, u32 c) { return keep(high(a, b) + c + flag); }
    inline u32 madc_hi(u32 a, u32 b, u32 c) { return u32(high(a, b)) + c + flag; }

  private:
    static inline u64 high(u32 a, u32 b) { return (u64(a) * b) >> 32; }
    inline u32 keep(u64 sum) {
        flag = u32(sum >> 32);
        return u32(sum);
    }
    inline u32 keep_borrow(u64 difference) {
        flag = u32(difference >> 32) & 1;
        return u32(difference);
    }
};

#endif

} // namespace cuzk::arith
