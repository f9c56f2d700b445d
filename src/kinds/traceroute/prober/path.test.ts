/** Traces through routers in network namespaces. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { needsNamespaces } from "../../../../test/support/programs/icmp-child.ts";
import { findLack } from "../../../../test/support/programs/programs.ts";
import {
  buildChain,
  buildOpenChain,
  left,
  makeTrace,
  measured,
  onNode,
  pathOf,
  right,
  right6,
  trace,
} from "../../../../test/support/programs/routers.ts";
import { protocols } from "../request-schema.ts";

const skip = needsNamespaces;

test("every protocol finds the same routers in both families", { skip }, () => {
  const requests = protocols.flatMap((protocol) => [
    makeTrace(right(3), { protocol }),
    makeTrace(right6(3), { protocol }),
  ]);
  const outcomes = trace(buildOpenChain(3), requests);
  for (const [index, request] of requests.entries()) {
    const found = measured(outcomes[index]);
    const name = request.ipFamily === "IPv4" ? right : right6;
    const expected = [0, 1, 2, 3].map((link) => name(link).replace("fd00:0::", "fd00::"));
    assert.deepEqual(pathOf(found), expected, request.protocol);
    assert.deepEqual([found.end, found.mode], ["destinationReached", "raw"]);
    for (const { sent, rttsMs } of found.hops) {
      assert.deepEqual([sent, rttsMs.length], [3, 3], JSON.stringify(found));
      assert.ok(
        rttsMs.every((rttMs) => rttMs > 0),
        JSON.stringify(found),
      );
    }
  }
});

const unknown = { blackHole: "10.20.0.1", prohibited: "10.21.0.1", loop: "10.22.0.1" };

/** Router 2 does what routers do wrong, for one network each. */
const faultyRouters = [
  ...buildOpenChain(3),
  ...[0, 1].map((node) => onNode(node, `ip route add 10.16.0.0/12 via ${right(node)}`)),
  onNode(2, "ip route add blackhole 10.20.0.0/16"),
  onNode(2, "ip route add prohibit 10.21.0.0/16"),
  onNode(2, `ip route add 10.22.0.0/16 via ${right(2)}`),
  onNode(3, `ip route add 10.22.0.0/16 via ${left(2)}`),
  // Packets larger than this do not pass from router 2 to router 3.
  onNode(2, "ip link set l2 mtu 1280"),
  // The errors of router 1 have an address that is on none of the links.
  onNode(1, "ip addr add 10.99.0.1/32 dev lo"),
  onNode(1, "ip route replace 10.0.0.0/24 dev r0 src 10.99.0.1"),
];

test("paths that end, loop or have a small MTU are recognised", { skip }, () => {
  const [ended, refused, looped, tooBig, fitting] = trace(faultyRouters, [
    makeTrace(unknown.blackHole, { protocol: "ICMP", timeoutMs: 3_000 }),
    makeTrace(unknown.prohibited),
    makeTrace(unknown.loop, { protocol: "TCP" }),
    makeTrace(right(3), { packetSize: 1_400 }),
    makeTrace(right(3), { packetSize: 1_280, protocol: "ICMP" }),
  ]).map(measured);

  assert.ok(ended && refused && looped && tooBig && fitting);
  const first = "10.99.0.1";
  assert.deepEqual(pathOf(ended), [first, "", "", ""], "a black hole is silent");
  assert.equal(ended.end, "maxUnknownHops");

  assert.deepEqual(pathOf(refused), [first, right(1)]);
  assert.deepEqual(refused.hops[1]?.error, { type: 3, code: 13, mtu: null });
  assert.equal(refused.end, "unreachable");

  assert.equal(looped.end, "loop");
  assert.deepEqual(pathOf(looped).slice(0, 4), [first, right(1), right(2), right(1)]);

  assert.equal(tooBig.end, "packetTooBig");
  assert.deepEqual(tooBig.hops.at(-1)?.error, { type: 3, code: 4, mtu: 1_280 });
  assert.deepEqual(tooBig.hops.at(-1)?.addresses[0]?.address, right(1));

  assert.equal(fitting.end, "destinationReached");
  assert.deepEqual(pathOf(fitting), [first, right(1), right(2), right(3)]);
});

test("a router that sends no errors is a silent hop of a complete path", {
  skip: skip || findLack("iptables"),
}, () => {
  const silent = onNode(2, "iptables -A OUTPUT -p icmp -j DROP");
  const [outcome] = trace(
    [...buildOpenChain(2), silent],
    [makeTrace(right(2), { protocol: "ICMP" })],
  );
  const found = measured(outcome);
  assert.deepEqual(pathOf(found), [right(0), "", right(2)]);
  assert.deepEqual([found.hops[1]?.sent, found.end], [3, "destinationReached"]);
});

/** Nodes 2 and 3 are alternatives between node 1 and node 4. */
const twoPaths = [
  ...[0, 1, 2, 3, 4].map((node) => `ip netns add n${node}`),
  ...[
    [0, 1, 0],
    [1, 2, 1],
    [1, 3, 2],
    [2, 4, 3],
    [3, 4, 4],
  ].flatMap(([a, b, link]) => [
    `ip link add l${link} netns n${a} type veth peer name r${link} netns n${b}`,
    onNode(a ?? 0, `ip addr add 10.0.${link}.1/24 dev l${link}; ip link set l${link} up`),
    onNode(b ?? 0, `ip addr add 10.0.${link}.2/24 dev r${link}; ip link set r${link} up`),
  ]),
  ...[0, 1, 2, 3, 4].map((node) =>
    onNode(
      node,
      "echo 1 > /proc/sys/net/ipv4/ip_forward; echo 0 > /proc/sys/net/ipv4/icmp_ratelimit",
    ),
  ),
  onNode(0, "ip route add default via 10.0.0.2"),
  onNode(1, "echo 1 > /proc/sys/net/ipv4/fib_multipath_hash_policy"),
  onNode(1, "ip route add 10.9.9.9 nexthop via 10.0.1.2 nexthop via 10.0.2.2"),
  onNode(2, "ip route add default via 10.0.1.1; ip route add 10.9.9.9 via 10.0.3.2"),
  onNode(3, "ip route add default via 10.0.2.1; ip route add 10.9.9.9 via 10.0.4.2"),
  onNode(4, "ip link set lo up; ip addr add 10.9.9.9/32 dev lo; ip route add default via 10.0.3.1"),
];

test("a trace stays on one of several paths, because its flow is constant", { skip }, () => {
  // One of both would be missing once in eight million times.
  const count = 24;
  const requests = Array.from({ length: count }, (_, index) =>
    makeTrace("10.9.9.9", { protocol: index % 2 === 0 ? "UDP" : "TCP" }),
  );
  const paths = trace(twoPaths, requests).map((outcome) => pathOf(measured(outcome)).join(" "));
  const expected = ["10.0.0.2 10.0.1.2 10.9.9.9", "10.0.0.2 10.0.2.2 10.9.9.9"];
  assert.deepEqual([...new Set(paths)].toSorted(), expected);
});

const reading = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"];
const asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", ...reading];

test("an ordinary user traces over UDP and, in the ping group range, over ICMP", {
  skip: skip || findLack("setpriv"),
}, () => {
  const open = 'echo "0 2147483647" > /proc/sys/net/ipv4/ping_group_range';
  const requests = protocols.flatMap((protocol) => [
    makeTrace(right(2), { protocol }),
    makeTrace(right6(2), { protocol }),
  ]);
  const outcomes = trace([...buildOpenChain(2), onNode(0, open)], requests, [
    ...asNobody,
    "--no-new-privs",
  ]);
  for (const [index, { protocol, ipFamily }] of requests.entries()) {
    const outcome = outcomes[index];
    if (protocol === "TCP") {
      assert.ok(outcome?.kind === "cannot-check", JSON.stringify(outcome));
      assert.match(outcome.message, /over TCP cannot run.*raw sockets/);
      assert.match(outcome.message, /--cap-add NET_RAW/);
      continue;
    }
    const found = measured(outcome);
    assert.deepEqual([found.mode, found.end], ["unprivileged", "destinationReached"], protocol);
    const name = ipFamily === "IPv4" ? right : right6;
    const expected = [0, 1, 2].map((link) => name(link).replace("fd00:0::", "fd00::"));
    assert.deepEqual(pathOf(found), expected, `${protocol} ${JSON.stringify(found)}`);
    assert.ok(found.hops.every(({ rttsMs }) => rttsMs.length === 3));
  }
});

test("without any permission a trace over ICMP reports what to do", {
  skip: skip || findLack("setpriv"),
}, () => {
  const request = makeTrace(right(0), { protocol: "ICMP" });
  const [outcome] = trace(buildChain(0), [request], [...asNobody, "--no-new-privs"]);
  assert.ok(outcome?.kind === "cannot-check", JSON.stringify(outcome));
  assert.match(outcome.message, /nor ICMP datagram sockets/);
  assert.match(outcome.message, /ping_group_range/);
});
