/** Traces through routers in network namespaces. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { before, test } from "node:test";
import { needsNamespaces } from "../../../../../test/support/programs/icmp-child.ts";
import { findLack } from "../../../../../test/support/programs/programs.ts";
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
} from "../../../../../test/support/programs/routers.ts";
import { buildResponse } from "../document.ts";
import { protocols, type TracerouteMeasurement } from "../measurement.ts";

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

/** What router 2 or 3 does wrong on the way to each of these targets. */
const targets = {
  blackHole: "10.20.0.1",
  prohibited: "10.21.0.1",
  loop: "10.22.0.1",
  slow: "10.24.0.1",
  lossy: "10.25.0.1",
  hidden: "10.26.0.1",
  marked: "10.27.0.1",
  translated: "10.28.0.1",
  limited: "10.29.0.1",
  sizeHole: "10.30.0.1",
  impostor: "10.31.0.1",
} as const;

const toHex = (address: string) =>
  `0x${address
    .split(".")
    .map((part) => Number(part).toString(16).padStart(2, "0"))
    .join("")}`;

/** ICMP errors about packets to a target, by the destination that they quote. */
const errorsAbout = (target: string) => `icmp type time-exceeded @th,192,32 ${toHex(target)}`;

const addRule = (node: number, chain: string, rule: string) =>
  onNode(node, `nft add rule ip t ${chain} ${rule}`);

const chains = ["prerouting", "forward", "output", "postrouting"];
const addChains = (node: number) =>
  onNode(
    node,
    [
      "nft add table ip t",
      ...chains.map(
        (hook) => `nft "add chain ip t ${hook} { type filter hook ${hook} priority mangle; }"`,
      ),
      'nft "add chain ip t translate { type nat hook postrouting priority srcnat; }"',
    ].join("; "),
  );

const faultyRouters = [
  ...buildOpenChain(3),
  ...[0, 1].map((node) => onNode(node, `ip route add 10.16.0.0/12 via ${right(node)}`)),
  ...[2, 3].map((node) => onNode(node, `ip route add 10.24.0.0/13 via ${right(node)}`)),
  onNode(4, "ip route add local 10.24.0.0/13 dev lo"),
  ...[1, 2, 3].map(addChains),
  onNode(2, "ip route add blackhole 10.20.0.0/16"),
  onNode(2, "ip route add prohibit 10.21.0.0/16"),
  onNode(2, `ip route add 10.22.0.0/16 via ${right(2)}`),
  onNode(3, `ip route add 10.22.0.0/16 via ${left(2)}`),
  // Packets larger than this do not pass from router 2 to router 3.
  onNode(2, "ip link set l2 mtu 1280"),
  // The errors of router 1 have an address that is on none of the links.
  onNode(1, "ip addr add 10.99.0.1/32 dev lo"),
  onNode(1, "ip route replace 10.0.0.0/24 dev r0 src 10.99.0.1"),
  // Large packets wait before the link from router 3 to the target.
  onNode(3, "tc qdisc add dev l3 root tbf rate 80kbit burst 1600 latency 2s"),
  addRule(2, "forward", `ip daddr ${targets.lossy} numgen inc mod 3 == 0 drop`),
  addRule(2, "forward", `ip daddr ${targets.hidden} ip ttl set 64`),
  addRule(1, "forward", `ip daddr ${targets.marked} ip dscp set cs5`),
  addRule(1, "translate", `ip daddr ${targets.translated} udp dport 33434 snat to ${left(1)}:7777`),
  addRule(
    3,
    "output",
    `${errorsAbout(targets.limited)} limit rate over 1/hour burst 1 packets drop`,
  ),
  addRule(2, "forward", `ip daddr ${targets.sizeHole} meta length \\> 1000 drop`),
  addRule(2, "output", `${errorsAbout(targets.impostor)} ip saddr set ${targets.impostor}`),
];

const faultyTraces = {
  ended: makeTrace(targets.blackHole, { protocol: "ICMP", timeoutMs: 3_000 }),
  refused: makeTrace(targets.prohibited),
  looped: makeTrace(targets.loop, { protocol: "TCP" }),
  tooBig: makeTrace(right(3), { packetSize: 1_400 }),
  fitting: makeTrace(right(3), { packetSize: 1_280, protocol: "ICMP" }),
  slow: makeTrace(targets.slow, { packetSize: 1_200 }),
  lossy: makeTrace(targets.lossy),
  hidden: makeTrace(targets.hidden, { protocol: "TCP" }),
  marked: makeTrace(targets.marked, { protocol: "ICMP" }),
  translated: makeTrace(targets.translated),
  limited: makeTrace(targets.limited),
  swallowed: makeTrace(targets.sizeHole, { packetSize: 1_200 }),
  passed: makeTrace(targets.sizeHole),
  impostor: makeTrace(targets.impostor, { protocol: "ICMP" }),
};

const skipFaulty = skip || findLack("nft", "tc") || findKernelLack();

function findKernelLack(): string | false {
  const commands = [
    "ip link set lo up",
    "tc qdisc add dev lo root tbf rate 80kbit burst 1600 latency 2s",
    "nft add table ip t",
    'nft "add chain ip t c { type nat hook postrouting priority srcnat; }"',
    "nft add rule ip t c numgen inc mod 3 == 0 limit rate 1/hour masquerade",
  ];
  const { status } = spawnSync("unshare", ["-n", "sh", "-c", commands.join(" && ")]);
  return status !== 0 && "NOT TESTED: this kernel lacks tbf, or NAT or limits of nftables";
}

let faulty: ReadonlyMap<string, TracerouteMeasurement>;
before(() => {
  if (skipFaulty !== false) return;
  const outcomes = trace(faultyRouters, Object.values(faultyTraces)).map(measured);
  const names = Object.keys(faultyTraces);
  faulty = new Map(outcomes.map((outcome, index) => [names[index] ?? "", outcome]));
});

function getFaulty(name: keyof typeof faultyTraces): TracerouteMeasurement {
  const found = faulty.get(name);
  assert.ok(found);
  return found;
}

const first = "10.99.0.1";
const whole = [first, right(1), right(2)];
const lossOf = ({ hops }: TracerouteMeasurement) =>
  hops.map(({ sent, rttsMs }) => sent - rttsMs.length);

test("paths that end, loop or have a small MTU are recognised", { skip: skipFaulty }, () => {
  const ended = getFaulty("ended");
  assert.deepEqual(pathOf(ended), [first, "", "", ""], "a black hole is silent");
  assert.equal(ended.end, "maxUnknownHops");

  const refused = getFaulty("refused");
  assert.deepEqual(pathOf(refused), [first, right(1)]);
  assert.deepEqual(refused.hops[1]?.error, { type: 3, code: 13, mtu: null });
  assert.equal(refused.end, "unreachable");

  const looped = getFaulty("looped");
  assert.equal(looped.end, "loop");
  assert.deepEqual(pathOf(looped).slice(0, 4), [first, right(1), right(2), right(1)]);

  const tooBig = getFaulty("tooBig");
  assert.equal(tooBig.end, "packetTooBig");
  assert.deepEqual(tooBig.hops.at(-1)?.error, { type: 3, code: 4, mtu: 1_280 });
  assert.deepEqual(tooBig.hops.at(-1)?.addresses[0]?.address, right(1));

  const fitting = getFaulty("fitting");
  assert.equal(fitting.end, "destinationReached");
  assert.deepEqual(pathOf(fitting), [...whole, right(3)]);
});

test("delay and loss appear at the hops behind them", { skip: skipFaulty }, () => {
  const slow = getFaulty("slow");
  assert.deepEqual([pathOf(slow), slow.end], [[...whole, targets.slow], "destinationReached"]);
  const worst = slow.hops.map(({ rttsMs }) => Math.max(...rttsMs));
  assert.ok((worst[3] ?? 0) > 40 && (worst[3] ?? 0) > 2 * (worst[1] ?? 0), `${worst}`);

  const lossy = getFaulty("lossy");
  const [one, two, ...behind] = lossOf(lossy);
  assert.deepEqual([one, two, lossy.end], [0, 0, "destinationReached"]);
  assert.ok(
    behind.some((lost) => lost > 0),
    `${behind}`,
  );

  const limited = getFaulty("limited");
  assert.deepEqual(lossOf(limited), [0, 0, 2, 0], "a limit of errors is no loss of the path");
  assert.deepEqual(pathOf(limited), [...whole, targets.limited]);
});

test("routers that rewrite packets do not hide or invent hops", { skip: skipFaulty }, () => {
  for (const name of ["marked", "translated"] as const) {
    const found = getFaulty(name);
    assert.deepEqual(pathOf(found), [...whole, targets[name]], name);
    assert.deepEqual([lossOf(found), found.end], [[0, 0, 0, 0], "destinationReached"], name);
  }
  // Router 2 raises the hop limit of what it forwards, so that router 3 never sends an error.
  const hidden = getFaulty("hidden");
  assert.deepEqual(pathOf(hidden), [first, right(1), targets.hidden]);
  assert.equal(hidden.end, "destinationReached");
});

test("a link that swallows large packets is known by their size", { skip: skipFaulty }, () => {
  const swallowed = getFaulty("swallowed");
  assert.deepEqual(pathOf(swallowed), [first, right(1), "", "", ""]);
  assert.equal(swallowed.end, "maxUnknownHops");
  assert.deepEqual(pathOf(getFaulty("passed")), [...whole, targets.sizeHole]);
});

test("a router with the address of the target does not end the path", { skip: skipFaulty }, () => {
  const { impostor } = targets;
  const found = getFaulty("impostor");
  assert.deepEqual(pathOf(found), [first, impostor, right(2), impostor]);
  assert.equal(found.end, "destinationReached");
  const outcome = { kind: "measured", measurement: found } as const;
  assert.equal(buildResponse({ request: faultyTraces.impostor, outcome }).loop, null);
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

test("an ordinary user traces over UDP and, in the ping group range, over ICMP instead of TCP", {
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
    const found = measured(outcome);
    assert.equal(found.substitute, protocol === "TCP" ? "ICMP" : undefined);
    assert.deepEqual([found.mode, found.end], ["unprivileged", "destinationReached"], protocol);
    const name = ipFamily === "IPv4" ? right : right6;
    const expected = [0, 1, 2].map((link) => name(link).replace("fd00:0::", "fd00::"));
    assert.deepEqual(pathOf(found), expected, `${protocol} ${JSON.stringify(found)}`);
    assert.ok(found.hops.every(({ rttsMs }) => rttsMs.length === 3));
  }
});

test("without any permission a trace over TCP uses UDP, and over ICMP reports what to do", {
  skip: skip || findLack("setpriv"),
}, () => {
  const requests = [
    makeTrace(right(0), { protocol: "ICMP" }),
    makeTrace(right(0), { protocol: "TCP" }),
  ];
  const [outcome, overTcp] = trace(buildChain(0), requests, [...asNobody, "--no-new-privs"]);
  const found = measured(overTcp);
  assert.deepEqual([found.substitute, found.end], ["UDP", "destinationReached"]);
  assert.ok(outcome?.kind === "cannot-check", JSON.stringify(outcome));
  assert.match(outcome.message, /nor ICMP datagram sockets/);
  assert.match(outcome.message, /ping_group_range/);
});
