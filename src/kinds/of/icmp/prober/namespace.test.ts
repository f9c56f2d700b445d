import assert from "node:assert/strict";
import { test } from "node:test";
import {
  makeRequest,
  needsNamespaces,
  runInNamespace,
} from "../../../../../test/support/programs/icmp-child.ts";
import { findLack } from "../../../../../test/support/programs/programs.ts";

const OPEN_RANGE = 'echo "0 2147483647" > /proc/sys/net/ipv4/ping_group_range';
/** Frames to these neighbours reach a device that does not own them and are dropped. */
const SILENT_NETWORK = [
  "ip link add silent type veth peer name other",
  "ip addr add 10.99.0.1/24 dev silent",
  "ip -6 addr add fd99::1/64 dev silent nodad",
  "ip link set silent up",
  "ip link set other up",
  "ip neigh add 10.99.0.2 lladdr 02:00:00:00:00:02 dev silent",
  "ip -6 neigh add fd99::2 lladdr 02:00:00:00:00:02 dev silent",
];
const skip = needsNamespaces;
const skipWithoutFirewall = skip || findLack("iptables");

function onlyRun(setUp: readonly string[], address: string, family: "IPv4" | "IPv6" = "IPv4") {
  const { runs } = runInNamespace(setUp, [makeRequest(address, family)]);
  const [run] = runs;
  assert.ok(run !== undefined);
  return run;
}

for (const [mode, setUp] of [
  ["datagram", [OPEN_RANGE]],
  ["raw", []],
] as const) {
  test(`${mode} sockets are used if permitted, and measure both families`, {
    skip,
  }, () => {
    const requests = [makeRequest("127.3.2.1"), makeRequest("::1", "IPv6")];
    const { modes, runs } = runInNamespace(setUp, requests);
    assert.deepEqual([modes.IPv4.mode, modes.IPv6.mode], [mode, mode]);
    for (const run of runs) {
      assert.ok(run.kind === "measured", JSON.stringify(run));
      assert.equal(run.statistics.packetsReceived, 3);
      assert.ok(run.packets.every(({ ttl }) => ttl === 64));
    }
    assert.match(modes.IPv4.reason, /stamps in both directions/);
    assert.match(modes.IPv6.reason, /stamps in both directions/);
  });

  test(`no reply is full loss on ${mode} sockets in both families`, { skip }, () => {
    const requests = [makeRequest("10.99.0.2"), makeRequest("fd99::2", "IPv6")];
    const { runs } = runInNamespace([...setUp, ...SILENT_NETWORK], requests);
    for (const run of runs) {
      assert.ok(run.kind === "measured", JSON.stringify(run));
      assert.equal(run.statistics.packetLossPercent, 100);
      assert.equal(run.statistics.packetsSent, 3);
      assert.ok(run.packets.every(({ error }) => error?.code === "NO_REPLY"));
    }
  });

  test(`a rejection by the routing table is reported per packet on ${mode} sockets`, {
    skip,
  }, () => {
    const run = onlyRun([...setUp, "ip route add unreachable 10.98.0.0/24"], "10.98.0.1");
    assert.ok(run.kind === "measured", JSON.stringify(run));
    assert.equal(run.statistics.packetsSent, 0);
    assert.equal(run.statistics.packetLossPercent, 100);
    assert.ok(run.packets.every(({ error }) => error?.code === "EHOSTUNREACH"));
  });

  test(`a missing route is reported per packet on ${mode} sockets`, { skip }, () => {
    const run = onlyRun(setUp, "192.0.2.1");
    assert.ok(run.kind === "measured");
    assert.ok(run.packets.every(({ error }) => error?.code === "ENETUNREACH"));
  });

  test(`an ICMP error ends its packet early on ${mode} sockets`, {
    skip: skipWithoutFirewall,
  }, () => {
    const reject = "iptables -A INPUT -d 127.7.7.7 -p icmp -j REJECT --reject-with";
    // The kernel rate-limits ICMP errors unless configured otherwise.
    const unlimited = "echo 0 > /proc/sys/net/ipv4/icmp_ratelimit";
    const rule = `${reject} icmp-host-prohibited`;
    const run = onlyRun([...setUp, unlimited, rule], "127.7.7.7");
    assert.ok(run.kind === "measured", JSON.stringify(run));
    assert.deepEqual(
      run.packets.map(({ type, code, error }) => [type, code, error?.message]),
      Array.from({ length: 3 }, () => [3, 10, "Host prohibited"]),
    );
  });

  test(`a rejection by the local firewall is reported as such on ${mode} sockets`, {
    skip: skipWithoutFirewall,
  }, () => {
    const run = onlyRun([...setUp, "iptables -A OUTPUT -d 127.6.6.6 -j DROP"], "127.6.6.6");
    assert.ok(run.kind === "measured", JSON.stringify(run));
    assert.ok(
      run.packets.every(({ error }) => error?.code === "EPERM"),
      JSON.stringify(run),
    );
  });
}

test("a host without IPv6 still checks IPv4 and reports why IPv6 cannot be checked", {
  skip,
}, () => {
  const disable = "echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6";
  const requests = [makeRequest("127.0.0.1"), makeRequest("::1", "IPv6")];
  const { modes, runs } = runInNamespace([disable], requests);
  assert.equal(modes.IPv4.mode, "raw");
  assert.equal(modes.IPv6.mode, "none");
  assert.equal(runs[0]?.kind, "measured");
  assert.ok(runs[1]?.kind === "cannot-check");
  assert.match(runs[1].reason, /IPv6 ping checks cannot run/);
});

test("large packets are fragmented and measured", { skip }, () => {
  const request = { ...makeRequest("127.0.0.1"), payloadBytes: 65_507 };
  const small = { ...makeRequest("127.0.0.1"), payloadBytes: 0 };
  const { runs } = runInNamespace(["ip link set lo mtu 1500"], [request, small]);
  assert.ok(runs[0]?.kind === "measured" && runs[1]?.kind === "measured");
  assert.equal(runs[0].statistics.packetsReceived, 3, JSON.stringify(runs[0]));
  assert.equal(runs[1].statistics.packetsReceived, 3);
  assert.equal(runs[1].payloadBytes, 16);
});
