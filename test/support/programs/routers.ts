import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import type { Outcome } from "../../../src/contract/result.ts";
import type { TracerouteMeasurement } from "../../../src/kinds/of/traceroute/measurement.ts";
import type { TracerouteRequest } from "../../../src/kinds/of/traceroute/request.ts";

/**
 * Simulated networks in which each router has its own network namespace. The namespaces disappear
 * with the process, because their names are in a separate mount namespace.
 */

const childLimitMs = 60_000;
const runTraces = new URL("./run-traces.ts", import.meta.url).pathname;

export type TraceOutcome = Outcome<TracerouteMeasurement>;

/**
 * Returns the address of the left or right end of link number `link`. Link 0 is the probe's link.
 */
export const left = (link: number) => `10.0.${link}.1`;
export const right = (link: number) => `10.0.${link}.2`;
export const left6 = (link: number) => `fd00:${link}::1`;
export const right6 = (link: number) => `fd00:${link}::2`;

const forwarding = [
  "echo 1 > /proc/sys/net/ipv4/ip_forward",
  "echo 1 > /proc/sys/net/ipv6/conf/all/forwarding",
];

/**
 * Returns a shell command that runs in the namespace of a node. Node 0 is the probe, and the last
 * node is the target.
 */
export const onNode = (node: number, command: string) =>
  `ip netns exec n${node} sh -c '${command}'`;

/**
 * Returns the commands that build a chain of probe, routers and target. Every node has a route to
 * every link.
 */
export function buildChain(routerCount: number): string[] {
  const last = routerCount + 1;
  const nodes = Array.from({ length: last + 1 }, (_, node) => node);
  return [
    ...nodes.map((node) => `ip netns add n${node}`),
    ...nodes.slice(1).flatMap((node) => linkUp(node - 1)),
    ...nodes.map((node) =>
      onNode(node, [...forwarding, "ip link set lo up", ...listRoutes(node, last)].join("; ")),
    ),
  ];
}

/**
 * Returns a command that turns off a node's rate limits for ICMP errors. By default, a router sends
 * six errors immediately and then one per second. Since Linux 6.13, every namespace has its own
 * limit for all destinations.
 */
const sendAllErrors = (node: number) =>
  onNode(
    node,
    [
      "cd /proc/sys/net; echo 0 > ipv4/icmp_ratelimit; echo 0 > ipv6/icmp/ratelimit",
      "for limit in ipv4/icmp_msgs_per_sec ipv4/icmp_msgs_burst",
      "do [ ! -e $limit ] || echo 1000000 > $limit; done",
    ].join("; "),
  );

/** Returns the commands that build a chain whose routers have no rate limit for ICMP errors. */
export function buildOpenChain(routerCount: number): string[] {
  const nodes = Array.from({ length: routerCount + 2 }, (_, node) => node);
  return [...buildChain(routerCount), ...nodes.map(sendAllErrors)];
}

function linkUp(link: number): string[] {
  const [a, b] = [link, link + 1];
  return [
    `ip link add l${link} netns n${a} type veth peer name r${link} netns n${b}`,
    ...[
      [a, `l${link}`, left(link), left6(link)],
      [b, `r${link}`, right(link), right6(link)],
    ].map(
      ([node, device, address, address6]) =>
        `printf "addr add ${address}/24 dev ${device}\\naddr add ${address6}/64 dev ${device} nodad\\nlink set ${device} up\\n" | ip -netns n${node} -batch -`,
    ),
  ];
}

function listRoutes(node: number, last: number): string[] {
  const routes: string[] = [];
  for (let link = 0; link < last; link += 1) {
    if (link === node || link === node - 1) continue;
    const [via, via6] =
      link > node ? [right(node), right6(node)] : [left(node - 1), left6(node - 1)];
    routes.push(`ip route add 10.0.${link}.0/24 via ${via}`);
    routes.push(`ip -6 route add fd00:${link}::/64 via ${via6}`);
  }
  return routes;
}

/** Runs shell commands in new namespaces, then runs a command in the namespace of the probe. */
export function runAsProbe(
  setUp: readonly string[],
  command: readonly string[],
  timeout = childLimitMs,
): string {
  const script = [
    "set -e",
    "mkdir -p /run/netns",
    "mount -t tmpfs none /run/netns",
    ...setUp,
    'exec ip netns exec n0 "$@"',
  ].join("\n");
  const args = ["-n", "-m", "sh", "-c", script, "sh", ...command];
  const child = spawnSync("unshare", args, { encoding: "utf8", timeout });
  if (child.status !== 0) throw new Error(`The network failed: ${child.stderr}`);
  return child.stdout;
}

export function makeTrace(
  hostname: string,
  change: Partial<TracerouteRequest> = {},
): TracerouteRequest {
  const protocol = change.protocol ?? "UDP";
  return {
    hostname,
    protocol,
    port: protocol === "ICMP" ? null : 33_434,
    ipFamily: hostname.includes(":") ? "IPv6" : "IPv4",
    maxHops: 12,
    maxUnknownHops: 3,
    ptrLookup: false,
    packetSize: null,
    timeoutMs: 8_000,
    ...change,
  };
}

/** Returns the command that traces all paths concurrently. `readTraces` parses its output. */
export function traceCommand(requests: readonly TracerouteRequest[]): string[] {
  return [process.execPath, runTraces, ...requests.map((request) => JSON.stringify(request))];
}

export function readTraces(output: string): TraceOutcome[] {
  return JSON.parse(output) as TraceOutcome[];
}

/** Traces all paths concurrently, starting at the probe. */
export function trace(
  setUp: readonly string[],
  requests: readonly TracerouteRequest[],
  prefix: readonly string[] = [],
): TraceOutcome[] {
  return readTraces(runAsProbe(setUp, [...prefix, ...traceCommand(requests)]));
}

export function measured(outcome: TraceOutcome | undefined): TracerouteMeasurement {
  assert.ok(outcome?.kind === "measured", JSON.stringify(outcome));
  return outcome.measurement;
}

/** Returns the addresses of each hop as text. A hop that did not respond is an empty text. */
export const pathOf = ({ hops }: TracerouteMeasurement) =>
  hops.map(({ addresses }) => addresses.map(({ address }) => address).join());
