#!/usr/bin/env bash
# Runs the device tests of this folder. It needs x86-64 Linux with an NVIDIA driver and a device.
#
#   ./run.sh              the tests
#   ./run.sh --sanitize   and the small ones once more under each tool of compute-sanitizer,
#                         several at a time
#   ./run.sh --bench      and the benchmarks, after the times of the first and the second load
#
# Fails where there is no device, where a test fails, and where a sanitizer finds something.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1

sanitize=no
bench=no
# How many sanitizers run at once, and for how long each may.
jobs=$((($(nproc) + 1) / 2))
seconds=300
for argument in "$@"; do
    case "$argument" in
    --sanitize) sanitize=yes ;;
    --bench) bench=yes ;;
    *)
        echo "usage: ./run.sh [--sanitize] [--bench]" >&2
        exit 2
        ;;
    esac
done

failed=()
attempt() {
    local start=$SECONDS
    echo "== $*"
    if "$@"; then
        echo "== passed in $((SECONDS - start)) s"
    else
        echo "== FAILED in $((SECONDS - start)) s: $*" >&2
        failed+=("$*")
    fi
}

# The programs travel packed.
find . -name '*.gz' -exec gunzip -f {} +
if ! ./devices; then
    echo "run.sh: device tests need an NVIDIA driver and a device" >&2
    exit 1
fi
for test in tests/*; do
    attempt "$test" --ignored
done

if [[ $sanitize == yes ]]; then
    sanitizer=$(PATH="$PATH:/usr/local/cuda/bin" command -v compute-sanitizer) || {
        echo "run.sh: --sanitize needs compute-sanitizer, which comes with the CUDA toolkit" >&2
        exit 1
    }
    export sanitizer seconds
    # Arguments: a tool and a program. Where no test says that it is small, all of them are.
    sanitize() {
        local tool=$1 test=$2 filter=small:: start=$SECONDS output rc
        [[ $("$test" --list --ignored "$filter") == *": test"* ]] || filter=
        output=$(timeout -k 10 "$seconds" "$sanitizer" --tool "$tool" --error-exitcode 1 \
            "$test" --ignored --test-threads 1 ${filter:+"$filter"} 2>&1)
        rc=$?
        # One write, so that the words of several do not mix.
        if [[ $rc -eq 0 ]]; then
            echo "== passed in $((SECONDS - start)) s: $tool $test $filter"
        else
            printf '%s\n== FAILED with %d in %d s: %s\n' \
                "$output" "$rc" "$((SECONDS - start))" "$tool $test $filter"
        fi
        return "$rc"
    }
    export -f sanitize
    for tool in memcheck racecheck initcheck synccheck; do
        printf "$tool %s\n" tests/*
    done | xargs -L 1 -P "$jobs" bash -c 'sanitize "$@"' sanitize || failed+=("a sanitizer")
fi

if [[ $bench == yes ]]; then
    # The first load compiles for this device, the second finds that in the driver's cache.
    cache=$(mktemp -d)
    for loading in benches/*-loading; do
        attempt env CUDA_CACHE_PATH="$cache" "$loading"
        attempt env CUDA_CACHE_PATH="$cache" "$loading"
    done
    rm -rf "$cache"
    for bench in benches/*; do
        [[ $bench == *-loading ]] || attempt "$bench" --bench
    done
fi

if [[ ${#failed[@]} -gt 0 ]]; then
    printf 'run.sh: failed: %s\n' "${failed[@]}" >&2
    exit 1
fi
echo "run.sh: all passed"
