#!/bin/sh
# SPDX-License-Identifier: MIT
# Measures labs on this machine's first GPU, one thing at a time. Run from the top level:
#
#   docs/bench/measure_gpu.sh [grade|bench|checkers|counters|torch|occupancy|library] [LAB ...]
#
# All of them over all labs unless said. Writes what docs/measured.md lists: GPU-grades.md, the
# ladders with their plots and tables, mutants-cuda.json, counters-hardware.json, torch.json and
# GPU-occupancy.json, GPU-library.json. Goes on when one of them fails; exits with how many did.

case ${1:-} in
  grade | bench | checkers | counters | torch | occupancy | library) what=$1 && shift ;;
  *) what="grade bench checkers counters torch occupancy library" ;;
esac
all_labs=$([ $# -gt 0 ] || echo yes)
[ $# -gt 0 ] || set -- labs/[0-9]*
for lab in "$@"; do
  [ -f "labs/${lab##*/}/lab.toml" ] || { echo "measure_gpu.sh: neither a step nor a lab: $lab" >&2 && exit 2; }
done
gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader -i 0) || { echo "measure_gpu.sh: no GPU" >&2 && exit 3; }
name=$(echo "${gpu##* }" | tr '[:upper:]' '[:lower:]') # "NVIDIA H200" is h200
python=python3
[ -x .venv/bin/python ] && python=.venv/bin/python
failed=0
library_solutions="solutions/01-reduction/06_single_pass.cu solutions/02-scan/06_decoupled_look_back.cu
  solutions/03-compaction/03_single_pass.cu solutions/04-radix-sort/05_onesweep.cu
  solutions/04-radix-sort/06_pairs_and_types.cu solutions/06-matmul/05_warp_tiled.cu"

run() {
  began=$(date +%s)
  "$@" > /tmp/measure_gpu.out 2> /tmp/measure_gpu.log
  status=$?
  echo "$(($(date +%s) - began)) s, status $status: $*"
  [ $status = 0 ] || { failed=$((failed + 1)) && tail -n 3 /tmp/measure_gpu.log; }
}

# FILE...: the figures in docs/bench are as old as the code, if the last command ended well.
record() {
  [ $status = 0 ] || return
  for file in "$@"; do python3 docs/bench/sources.py record "$file"; done
}

# FILE COMMAND...: keeps what the command prints, once it has ended well.
keep() {
  file=$1 && shift
  run "$@"
  [ $status = 0 ] && cp /tmp/measure_gpu.out "$file"
}

# shellcheck disable=SC2317 # keep calls it
compare_occupancy() {
  nvcc -std=c++20 -arch=native -Icommon/cuda -Ilabs/07-scheduling docs/bench/compare_occupancy.cu \
    solutions/07-scheduling/01_residency.cu -o build/compare_occupancy && build/compare_occupancy
}

# Writes its file itself.
# shellcheck disable=SC2317,SC2086 # run calls it; the solutions are words
compare_library() {
  compile="nvcc -std=c++20 -arch=native -Icommon/cuda -Ilabs/01-reduction -Ilabs/02-scan -Ilabs/03-compaction
    -Ilabs/04-radix-sort -Ilabs/06-matmul"
  mkdir -p build
  $compile -Dreduce_sum=reduce_sum_beyond -c solutions/01-reduction/beyond/06_acquire_release.cu -o build/beyond_reduce.o &&
    $compile -Dexclusive_scan=exclusive_scan_beyond -c solutions/02-scan/beyond/06_resident_blocks.cu -o build/beyond_scan.o &&
    $compile -Dcompact=compact_beyond -c solutions/03-compaction/beyond/03_resident_blocks.cu -o build/beyond_select.o &&
    $compile --extended-lambda docs/bench/compare_library.cu build/beyond_*.o $library_solutions -lcublas \
      -o build/compare_library && build/compare_library "docs/bench/$name-library.json"
}

for step in $what; do
  case $step in
    grade)
      grades=$(mktemp -d)
      for lab in "$@"; do
        lab=${lab##*/}
        run ./lab grade solutions --lab "$lab" --backend cuda --json "$grades/$lab.json"
      done
      keep "docs/bench/$name-grades.md" python3 docs/bench/grade_table.py "$grades"/*.json
      [ -z "$all_labs" ] || record "$name-grades.md"
      ;;
    bench) for lab in "$@"; do run ./lab bench "${lab##*/}" --backend cuda; record "${lab##*/}.json"; done ;;
    checkers) run $python docs/bench/compare_sanitizers.py cuda ;;
    counters) keep docs/bench/counters-hardware.json python3 docs/bench/compare_counters.py hardware; record counters-hardware.json ;;
    torch) run python3 docs/bench/compare_torch.py run; record torch.json ;; # the Python that has torch
    occupancy) keep "docs/bench/$name-occupancy.json" compare_occupancy; record "$name-occupancy.json" ;;
    library) run compare_library; record "$name-library.json" ;;
  esac
done
python3 docs/bench/sources.py older
exit $failed
