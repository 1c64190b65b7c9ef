#!/usr/bin/env bash
# The Slurm example on a cluster of its own: a run that lost two tasks is completed by asking these alone, and is then the whole run, byte for
# byte.
#
#   slurm_test.sh LITMUS SOURCE
#
# Where there is no Slurm it is skipped (status 77), and says so; that fails where LITMUS_REQUIRE names "slurm".
set -euo pipefail
export LITMUS=$1
source=$2
examples=$source/tests/examples
if [ "${3:-}" != inside ]; then
    status=0
    NODE_CPUS=3 "$examples/slurm_cluster.sh" "$0" "$LITMUS" "$source" inside || status=$?
    [ "$status" -ne 77 ] || echo "skipped: there is no Slurm"
    [ "$status" -ne 77 ] || [[ ",${LITMUS_REQUIRE:-}," != *,slurm,* ]] || exit 1
    exit "$status"
fi

FOLDER=$(mktemp -d)
export FOLDER
trap 'rm -rf "$FOLDER"' EXIT
cd "$FOLDER"
fail() {
    echo "slurm_test: $*" >&2
    squeue --array >&2 || true
    tail -n 20 results/*.log >&2 || true
    exit 1
}
# wait_for COMMAND...: until it succeeds, at most a minute.
wait_for() {
    for _ in $(seq 600); do
        ! "$@" || return 0
        sleep 0.1
    done
    fail "in vain: $*"
}
has_lines() { [ -e "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]; }
are_done() { [ "$(cd results && echo part-*.done)" = "$*" ]; }
is_over() { [ -z "$(squeue -h)" ]; }

# What tasks find as `litmus` notes which part it is asked for. While the file `hold` is there, parts 2 and 4 never end: what they print goes into
# a pipe from which nobody reads, and they stand still when that is full.
mkdir bin
cat >bin/litmus <<'TXT'
#!/usr/bin/env bash
part=$SLURM_ARRAY_TASK_ID
echo "$part" >>"$FOLDER/asked"
if [ -e "$FOLDER/hold" ] && [[ $part = [24] ]]; then
    mkfifo "$FOLDER/pipe-$part"
    exec 3<>"$FOLDER/pipe-$part" >&3
    echo $$ >"$FOLDER/held-$part"
fi
exec "$LITMUS" "$@"
TXT
chmod +x bin/litmus
touch hold
"$LITMUS" check "$source/litmus/classic" --format json --no-time >whole.jsonl || [ $? -eq 1 ] || [ $? -eq 3 ]

export PATH=$FOLDER/bin:$PATH PARTS=5 AT_ONCE=3 TESTS=$source/litmus/classic RESULTS=results
ask() { "$examples/slurm-array.sh" --parsable --cpus-per-task=1; }
array=$(ask)
for part in 2 4; do
    wait_for has_lines "held-$part" 1
    wait_for has_lines "results/part-$part.jsonl" 10
done
wait_for are_done part-1.done part-3.done part-5.done
kill -9 "$(cat held-2)"
scancel "${array}_4"
wait_for is_over
are_done part-1.done part-3.done part-5.done || fail "a lost part counts as done"
[ "$(sort asked | paste -sd ' ')" = "1 2 3 4 5" ] || fail "asked: $(cat asked)"
! "$LITMUS" merge results/part-*.jsonl >merged 2>&1 || fail "a run that lacks results was merged"
grep -q "no part has the result of file" merged || fail "$(cat merged)"

# Only what was lost is asked, and only what it had not yet found out: what it had is the beginning of what it has.
rm hold
cp -r results lost
: >asked
ask >/dev/null
wait_for is_over
are_done part-1.done part-2.done part-3.done part-4.done part-5.done || fail "done are: $(ls results)"
[ "$(sort asked | paste -sd ' ')" = "2 4" ] || fail "asked again: $(cat asked)"
for part in 1 2 3 4 5; do
    cmp -n "$(stat -c %s "lost/part-$part.jsonl")" "lost/part-$part.jsonl" "results/part-$part.jsonl" || fail "part $part was begun anew"
done
cmp lost/part-3.jsonl results/part-3.jsonl
! cmp -s lost/part-4.jsonl results/part-4.jsonl || fail "part 4 was not lost"
"$LITMUS" merge results/part-*.jsonl --format json --no-time >merged || [ $? -eq 1 ] || [ $? -eq 3 ]
cmp whole.jsonl merged
[ "$(ask)" = "all parts are done" ] || fail "done parts are submitted"
echo "$(sbatch --version): $(wc -l <merged) results in $PARTS parts, two of them lost and asked again"
