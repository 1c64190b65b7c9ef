#!/usr/bin/env bash
# A run of many tests on a Slurm cluster, in parts much finer than there are nodes: whatever is free takes the next one.
#
#   PARTS=200 AT_ONCE=16 TESTS=tests RESULTS=results ./slurm-array.sh     submits each part that is not done
#   litmus merge results/part-*.jsonl                                     when the array has ended
#
# Tasks were lost? The first line, given again, submits them alone; each goes on where it was. Options go to sbatch (--wait, --partition).
# TESTS and RESULTS lie on a file system that all nodes share. A task fails only when its part could not be asked: a claim that fails or
# is not decided is said by `litmus merge`. Slurm takes up to a thousand parts (MaxArraySize).
#SBATCH --job-name=litmus
#SBATCH --cpus-per-task=4
#SBATCH --mem-per-cpu=1G
#SBATCH --requeue
set -euo pipefail
: "${PARTS:?how many parts}" "${TESTS:?the folder of the tests}" "${RESULTS:?the folder for the results}"
mkdir -p "$RESULTS"

if [ -z "${SLURM_ARRAY_TASK_ID:-}" ]; then  # by hand
    missing=()
    for ((part = 1; part <= PARTS; ++part)); do
        [ -e "$RESULTS/part-$part.done" ] || missing+=("$part")
    done
    [ ${#missing[@]} -gt 0 ] || {
        echo "all parts are done"
        exit
    }
    exec sbatch --output="$RESULTS/part-%a.log" "$@" --array="$(IFS=, && echo "${missing[*]}")%${AT_ONCE:-16}" "$0"
fi

part=$SLURM_ARRAY_TASK_ID
status=0
litmus check "$TESTS" --shard "$part/$PARTS" -j "${SLURM_CPUS_PER_TASK:-1}" \
    --format json --resume "$RESULTS/part-$part.jsonl" >/dev/null || status=$?
[ "$status" -le 1 ] || [ "$status" -eq 3 ] || exit "$status"
touch "$RESULTS/part-$part.done"
