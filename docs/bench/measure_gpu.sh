#!/bin/sh
# SPDX-License-Identifier: MIT
# Measures labs on this machine's first GPU, one thing at a time. Run from the top level:
#
#   docs/bench/measure_gpu.sh [grade|bench|checkers] [LAB ...]     # all three over all labs unless said
#
# Writes docs/bench/GPU-grade-LAB.json, the ladders with their plots and tables (./lab bench), and
# docs/bench/mutants-cuda.json. Goes on when one of them fails; exits with how many did.

case ${1:-} in
  grade | bench | checkers) what=$1 && shift ;;
  *) what="grade bench checkers" ;;
esac
gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader -i 0) || exit 3
name=$(echo "${gpu##* }" | tr '[:upper:]' '[:lower:]') # "NVIDIA H200" is h200
[ $# -gt 0 ] || set -- labs/[0-9]*
failed=0

run() {
  began=$(date +%s)
  "$@" > /tmp/measure_gpu.log 2>&1
  status=$?
  echo "$(($(date +%s) - began)) s, status $status: $*"
  [ $status = 0 ] || { failed=$((failed + 1)) && tail -n 3 /tmp/measure_gpu.log; }
}

for step in $what; do
  [ "$step" = checkers ] && run python3 docs/bench/compare_sanitizers.py cuda && continue
  for lab in "$@"; do
    lab=${lab##*/}
    case $step in
      grade) run ./lab grade solutions --lab "$lab" --backend cuda --json "docs/bench/$name-grade-$lab.json" ;;
      bench) run ./lab bench "$lab" --backend cuda ;;
    esac
  done
done
exit $failed
