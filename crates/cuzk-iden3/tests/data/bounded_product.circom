pragma circom 2.1.0;

// a·b = product, with both factors below 2^bits and neither of them one.
template BoundedProduct(bits) {
    signal input a;
    signal input b;
    signal input salt;
    signal output product;
    signal output tag;

    signal a_bits[bits];
    signal b_bits[bits];
    var a_sum = 0;
    var b_sum = 0;
    for (var i = 0; i < bits; i++) {
        a_bits[i] <-- (a >> i) & 1;
        b_bits[i] <-- (b >> i) & 1;
        a_bits[i] * (a_bits[i] - 1) === 0;
        b_bits[i] * (b_bits[i] - 1) === 0;
        a_sum += a_bits[i] * 2 ** i;
        b_sum += b_bits[i] * 2 ** i;
    }
    a_sum === a;
    b_sum === b;

    signal a_inverse;
    signal b_inverse;
    a_inverse <-- 1 / (a - 1);
    b_inverse <-- 1 / (b - 1);
    a_inverse * (a - 1) === 1;
    b_inverse * (b - 1) === 1;

    product <== a * b;
    signal square;
    square <== (a + salt) * (a + salt);
    tag <== square * (b + salt) + 7;
}

component main {public [salt]} = BoundedProduct(16);
