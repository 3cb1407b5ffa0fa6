//! Compiles the device headers as C++ for the host.

fn main() {
    // From the package's folder, where cargo runs this: no path that a move makes wrong.
    let kernels = "../../cuda-kernels/include";
    println!("cargo:rerun-if-changed={kernels}");
    println!("cargo:rerun-if-changed=cpp");
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .opt_level(2)
        .warnings(true)
        .include(kernels)
        .file("cpp/operations.cpp")
        .file("cpp/bucket_sums.cpp")
        .file("cpp/msm_sort.cpp")
        .file("cpp/msm_affine.cpp")
        .file("cpp/fold.cpp")
        .file("cpp/ntt.cpp")
        .file("cpp/split.cpp")
        .file("cpp/spmv.cpp")
        .compile("cuzk_kernel_host");
}
