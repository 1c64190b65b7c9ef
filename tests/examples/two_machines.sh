#!/usr/bin/env bash
# Runs a command beside two machines to which ssh leads: network namespaces with an sshd each, joined to this one by virtual cables.
#
#   two_machines.sh COMMAND...
#
# The command finds the machines in HOSTS (`10.213.0.2,10.213.1.2`) and what to call for ssh in PARALLEL_SSH. Where namespaces
# cannot be made, both are this machine, under the addresses 127.0.0.1 and 127.0.0.2. Everything is gone when it ends; the status is that of
# the command, or 77 where there is no sshd to start (its reason on standard error).
set -euo pipefail

skip() {
    echo "two_machines: $*" >&2
    exit 77
}
sshd=$(command -v sshd || command -v /usr/sbin/sshd) || skip "there is no sshd"
command -v ssh-keygen >/dev/null || skip "there is no ssh-keygen"

folder=$(mktemp -d)
port=$((20000 + $$ % 20000))
spaces=()
servers=()
clean() {
    for server in "${servers[@]}"; do kill "$server" 2>/dev/null || true; done
    for space in "${spaces[@]}"; do ip netns del "$space" 2>/dev/null || true; done
    rm -rf "$folder"
}
trap clean EXIT

ssh-keygen -q -t ed25519 -N '' -f "$folder/host"
ssh-keygen -q -t ed25519 -N '' -f "$folder/user"
cp "$folder/user.pub" "$folder/authorized"
chmod 600 "$folder/authorized"
mkdir -p /run/sshd 2>/dev/null || true

# serve ADDRESS [NAMESPACE]
serve() {
    local inside=()
    [ $# -lt 2 ] || inside=(ip netns exec "$2")
    "${inside[@]}" "$sshd" -D -f /dev/null -p "$port" -o ListenAddress="$1" -h "$folder/host" -o AuthorizedKeysFile="$folder/authorized" \
        -o StrictModes=no -o UsePAM=no -o PidFile=none -o PasswordAuthentication=no >"$folder/log" 2>&1 &
    servers+=($!)
}

# space N: a namespace with the address 10.213.N.2, this side of the cable being 10.213.N.1.
space() {
    local name="litmus-$$-$1"
    ip netns add "$name" 2>/dev/null || return 1
    spaces+=("$name")
    ip link add "lt$$-$1" type veth peer name eth0 netns "$name" 2>/dev/null || return 1
    ip addr add "10.213.$1.1/24" dev "lt$$-$1"
    ip link set "lt$$-$1" up
    ip -n "$name" addr add "10.213.$1.2/24" dev eth0
    ip -n "$name" link set eth0 up
    ip -n "$name" link set lo up
    serve "10.213.$1.2" "$name"
}

if space 0 && space 1; then
    HOSTS=10.213.0.2,10.213.1.2
else
    HOSTS=127.0.0.1,127.0.0.2
    serve 127.0.0.1
    serve 127.0.0.2
fi
PARALLEL_SSH="ssh -p $port -i $folder/user -o IdentitiesOnly=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
export HOSTS PARALLEL_SSH

for host in ${HOSTS//,/ }; do
    answer=""
    for _ in $(seq 50); do
        answer=$($PARALLEL_SSH -o ConnectTimeout=2 "$host" echo yes 2>"$folder/err") && break
        sleep 0.1
    done
    [ "$answer" = yes ] || skip "no answer from $host: $(cat "$folder/err" "$folder/log")"
done
"$@"
