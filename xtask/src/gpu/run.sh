#!/usr/bin/env bash
# Runs the device tests of this folder. It needs x86-64 Linux with an NVIDIA driver and a device,
# and xz.
#
#   ./run.sh              the tests
#   ./run.sh --sanitize   and those in modules named small once more, each by itself, under each
#                         tool of compute-sanitizer, several at a time
#   ./run.sh --bench      and the benchmarks, after the times of the first and the second load
#
# Fails where there is no device, where a test fails, and where a sanitizer finds something.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1

sanitize=no
bench=no
# How many sanitizers run at once, and for how long each may.
jobs=$((($(nproc) + 1) / 2 + 2))
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
command -v xz >/dev/null || {
    echo "run.sh: the programs are packed with xz, which is not there" >&2
    exit 1
}
find . -name '*.xz' -exec xz -df {} +
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
    # Arguments: a tool, a program and one of its tests.
    sanitize() {
        local tool=$1 program=$2 name=$3 start=$SECONDS output rc
        output=$(timeout -k 10 "$seconds" "$sanitizer" --tool "$tool" --error-exitcode 1 \
            "$program" --ignored --test-threads 1 --exact "$name" 2>&1)
        rc=$?
        # One write, so that the words of several do not mix.
        if [[ $rc -eq 0 && $output == *"1 passed"* ]]; then
            echo "== passed in $((SECONDS - start)) s: $tool $program $name"
            return 0
        fi
        printf '%s\n== FAILED with %d in %d s: %s\n' \
            "$output" "$rc" "$((SECONDS - start))" "$tool $program $name"
        return 1
    }
    export -f sanitize
    small=()
    for program in tests/*; do
        names=$("$program" --list --ignored small:: | sed -n 's/: test$//p')
        [[ -n $names ]] || echo "== no sanitizer: $program has no test in a module small"
        for name in $names; do
            small+=("$program $name")
        done
    done
    # The slowest first, so that nothing waits for it alone at the end.
    for tool in racecheck memcheck initcheck synccheck; do
        printf "$tool %s\n" "${small[@]}"
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
