# Three hosts on this machine: network namespaces with names of their own, joined by a bridge. Needs root, ip and tc.
#
#   source hosts.sh; make_hosts RATE; on_hosts K COMMAND...; remove_hosts
#
# RATE is that of every host's network card in both directions, such as 1gbit; "" leaves it as it is. Bursts of 128 kB, a
# millisecond at that rate, pass at once.
# shellcheck shell=bash
hosts=3

make_hosts() {
  local i
  remove_hosts
  ip link add linn-bridge type bridge
  ip link set linn-bridge up
  for ((i = 1; i <= hosts; ++i)); do
    ip netns add "linn$i"
    ip link add "linn-out$i" type veth peer name eth0 netns "linn$i"
    ip link set "linn-out$i" master linn-bridge up
    ip netns exec "linn$i" ip addr add "10.77.0.$i/24" dev eth0
    ip netns exec "linn$i" ip link set eth0 up
    ip netns exec "linn$i" ip link set lo up
    if [[ -n "$1" ]]; then
      tc qdisc add dev "linn-out$i" root tbf rate "$1" burst 128kb latency 50ms
      ip netns exec "linn$i" tc qdisc add dev eth0 root tbf rate "$1" burst 128kb latency 50ms
    fi
  done
  # The launcher enters a host as it would log in to one.
  cat >enter-host.sh <<'END'
#!/bin/bash
host="$1"
shift
exec ip netns exec "linn${host##*.}" unshare --uts bash -c "hostname host${host##*.}; $*"
END
  chmod +x enter-host.sh
}

remove_hosts() {
  local i
  for ((i = 1; i <= hosts; ++i)); do
    ip netns del "linn$i" 2>/dev/null
    ip link del "linn-out$i" 2>/dev/null
  done
  ip link del linn-bridge 2>/dev/null
  return 0
}

# on_hosts K COMMAND...: the launcher runs on the first host, and has a process on each of the first K.
on_hosts() {
  local count="$1" list
  shift
  list="$(seq -s , -f '10.77.0.%g' "$count")"
  ip netns exec linn1 unshare --uts bash -c 'hostname host1; exec "$@"' bash mpirun --quiet --allow-run-as-root \
    --bind-to none --map-by node --host "$list" -n "$count" --mca plm_rsh_agent "$PWD/enter-host.sh" \
    --mca btl tcp,self --mca pml ob1 --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24 "$@"
}
