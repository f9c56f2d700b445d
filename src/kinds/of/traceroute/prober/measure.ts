import { randomBytes } from "node:crypto";
import { Resolver } from "node:dns/promises";
import { setTimeout as wait } from "node:timers/promises";
import type { NoData, Outcome } from "../../../../contract/result.ts";
import { BoundedMap } from "../../../../platform/bounded-map.ts";
import { parseIpv4, parseIpv6 } from "../../../../platform/net/host.ts";
import { nameErrno } from "../../../wire/kernel/kernel-layout.ts";
import { maxPolled, SocketCalls } from "../../../wire/kernel/socket-calls.ts";
import type { Serve, SocketTools } from "../../../wire/network/socket-work.ts";
import {
  type Hop,
  maxNameLength,
  type TraceProtocol,
  type TracerouteMeasurement,
  type TracerouteTrouble,
} from "../measurement.ts";
import { defaultPorts, maxNamesWaitMs, type TracerouteRequest } from "../request.ts";
import { explainDenied } from "./permissions.ts";
import { TraceLoop, type TraceResult } from "./trace-loop.ts";
import { type OpenResult, openTraceSockets } from "./trace-sockets.ts";

type TraceOutcome = Outcome<TracerouteMeasurement>;

/**
 * Maximum number of concurrent traces, each with up to three sockets. With more concurrent traces,
 * all of them together would take longer, because the kernel passes each ICMP message to every raw
 * socket.
 */
const maxTraces = 128;
const maxWaiting = 2_000;

interface Engine {
  readonly calls: SocketCalls;
  readonly loop: TraceLoop;
}

let engine: Engine | undefined;

/** Looks up names of addresses in reverse DNS. The names are only displayed. */
interface ReverseNames {
  /** Resolves to the name of an address; `null` if none is found in time. Never rejects. */
  find(address: string): Promise<string | null>;
}

interface ReverseNamesOptions {
  readonly nameServers?: readonly string[] | null | undefined;
  /** Performs the DNS query. Tests replace this function. */
  readonly query?: (address: string) => Promise<readonly string[]>;
  readonly nowMs?: () => number;
}

const timeoutMs = 1_000;
const maxCached = 10_000;
const freshMs = 300_000;
/**
 * Maximum number of concurrent DNS queries. Without a limit, routers that respond with many
 * addresses could cause any number of queries.
 */
const maxOpenQueries = 64;
/**
 * Characters allowed in a displayed host name. Reverse DNS names are untrusted: the owner of an
 * address can choose any name.
 */
const hostName = /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?$/;

/** Normalises a name from reverse DNS; `null` if the name must not be displayed. */
export function readHostName(text: string): string | null {
  const name = text.replace(/\.$/, "").toLowerCase();
  return name.length <= maxNameLength && hostName.test(name) ? name : null;
}

function createQuery(nameServers: readonly string[] | null | undefined) {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
  if (nameServers !== null && nameServers !== undefined) resolver.setServers(nameServers);
  return (address: string) => resolver.reverse(address);
}

interface Cached {
  readonly name: Promise<string | null>;
  readonly untilMs: number;
}

export function createReverseNames(options: ReverseNamesOptions = {}): ReverseNames {
  const query = options.query ?? createQuery(options.nameServers);
  const nowMs = options.nowMs ?? (() => performance.now());
  const cache = new BoundedMap<string, Cached>(maxCached);
  let openQueries = 0;
  const lookUp = async (address: string) => {
    openQueries += 1;
    try {
      const [first = ""] = await query(address);
      return readHostName(first);
    } catch {
      return null;
    } finally {
      openQueries -= 1;
    }
  };
  return {
    find: (address) => {
      const known = cache.get(address);
      if (known !== undefined && known.untilMs > nowMs()) return known.name;
      if (openQueries >= maxOpenQueries) return Promise.resolve(null);
      const name = lookUp(address);
      cache.set(address, { name, untilMs: nowMs() + freshMs });
      return name;
    },
  };
}

let names: ReverseNames | undefined;
let traceCount = 0;
const waiting: (() => void)[] = [];

function startEngine(): Engine {
  if (2 * maxTraces > maxPolled) throw new Error("A poll cannot include the sockets of all traces");
  const calls = new SocketCalls();
  return { calls, loop: new TraceLoop(calls) };
}

/**
 * Runs `work` as soon as fewer than `maxTraces` traces are running. Returns `null` if too many
 * traces are already waiting.
 */
async function takeTurn<Result>(work: () => Promise<Result>): Promise<Result | null> {
  if (traceCount >= maxTraces) {
    if (waiting.length >= maxWaiting) return null;
    // The count stays the same, because a finished trace hands its slot to the next waiting trace.
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else {
    traceCount += 1;
  }
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) traceCount -= 1;
    else next();
  }
}

/**
 * Resolves the host name, checks whether the address is allowed, and traces the path to the
 * address.
 */
export const serve: Serve<TracerouteRequest, TraceOutcome> = async (request, tools) => {
  const { hostname, ipFamily, port } = request;
  const { address, error, durationMs: dnsMs } = await tools.resolver.resolve(hostname, ipFamily);
  if (error !== undefined) {
    if (error.code === "EBUSY") return { kind: "overloaded", message: error.message };
    return unreachable({ kind: "unresolved", ...error, resolvedIp: null, dnsMs });
  }
  tools.onStep?.({ step: "resolved", host: hostname, address, durationMs: dnsMs });
  const message = tools.reach.findDenial(address, port);
  if (message !== null) {
    return unreachable({ kind: "denied", code: "EDENIED", message, resolvedIp: address, dnsMs });
  }
  const outcome = await takeTurn(() => trace(request, { resolvedIp: address, dnsMs }, tools));
  return outcome ?? { kind: "overloaded", message: "Too many traces are waiting on this probe." };
};

function unreachable(trouble: TracerouteTrouble): TraceOutcome {
  return { kind: "unreachable", trouble };
}

interface Found {
  readonly resolvedIp: string;
  readonly dnsMs: number;
}

async function trace(
  request: TracerouteRequest,
  found: Found,
  tools: SocketTools,
): Promise<TraceOutcome> {
  const { ipFamily: family, packetSize } = request;
  const target = family === "IPv4" ? parseIpv4(found.resolvedIp) : parseIpv6(found.resolvedIp);
  if (target === null) throw new Error(`${found.resolvedIp} is not an ${family} address`);
  engine ??= startEngine();
  const { opened, substitute } = openSockets(engine.calls, request, target);
  if (!("sockets" in opened)) return explainUnopened(opened, request, found);
  names ??= createReverseNames({ nameServers: tools.nameServers });
  const nameOf = request.ptrLookup ? names : null;
  const result = await engine.loop.run({
    ...request,
    sockets: opened.sockets,
    packetSize: packetSize ?? 0,
    onHop: (hop, address, rttMs) => {
      // Starts the lookup early, so that the name is normally known when the trace ends.
      void nameOf?.find(address);
      tools.onStep?.({ step: "hop", hop, address, durationMs: rttMs });
    },
  });
  if (result.sendError !== null) return explainUnsent(result.sendError, request, found);
  const hops = nameOf === null ? result.hops : await addNames(result.hops, nameOf);
  const replaced = substitute === null ? {} : { substitute };
  return { kind: "measured", measurement: { ...found, ...pick(result), ...replaced, hops } };
}

/**
 * Opens the sockets of a trace. If this process may not send TCP probes, the trace uses ICMP, which
 * most targets answer, or UDP, which needs no permission.
 */
function openSockets(
  calls: SocketCalls,
  { protocol, ipFamily: family, port }: TracerouteRequest,
  target: Uint8Array,
): { readonly opened: OpenResult; readonly substitute: TraceProtocol | null } {
  const open = (used: TraceProtocol, targetPort: number) =>
    openTraceSockets(calls, { family, protocol: used, target, targetPort, random: randomBytes });
  const opened = open(protocol, port ?? 0);
  if (protocol !== "TCP" || !("denied" in opened)) return { opened, substitute: null };
  const icmp = open("ICMP", 0);
  if ("sockets" in icmp) return { opened: icmp, substitute: "ICMP" };
  return { opened: open("UDP", defaultPorts.UDP), substitute: "UDP" };
}

const pick = ({ mode, end, ignoredPackets }: TraceResult) => ({ mode, end, ignoredPackets });

/** Adds names to the addresses of hops. The name is `null` if its lookup exceeds the time limit. */
async function addNames(hops: readonly Hop[], names: ReverseNames): Promise<Hop[]> {
  const addresses = hops.flatMap((hop) => hop.addresses.map(({ address }) => address));
  const found = new Map<string, string | null>();
  const lookups = [...new Set(addresses)].map(async (address) => {
    found.set(address, await names.find(address));
  });
  const late = new AbortController();
  const limit = wait(maxNamesWaitMs, undefined, { signal: late.signal }).catch(() => {});
  await Promise.race([Promise.all(lookups), limit]);
  late.abort();
  return hops.map((hop) => ({
    ...hop,
    addresses: hop.addresses.map(({ address }) => ({ address, name: found.get(address) ?? null })),
  }));
}

function explainUnopened(
  opened: Exclude<OpenResult, { sockets: unknown }>,
  { protocol, ipFamily }: TracerouteRequest,
  found: Found,
): TraceOutcome {
  if ("denied" in opened) {
    return { kind: "cannot-check", message: explainDenied(protocol, opened.denied) };
  }
  if ("exhausted" in opened) return exhausted(nameErrno(opened.exhausted));
  const code = nameErrno(opened.noRoute);
  if (code === "EAFNOSUPPORT" || code === "EADDRNOTAVAIL") {
    const message = `This probe has no network of the family ${ipFamily}. (${code})`;
    return { kind: "cannot-check", message };
  }
  return unreachable({ kind: "unreachable", code, message: "No route to the host.", ...found });
}

const exhausted = (code: string): NoData => ({
  kind: "overloaded",
  message: `This probe cannot open more sockets (${code}).`,
});

const unsentMessages: Readonly<Record<string, string>> = {
  EMSGSIZE: "The packets are larger than the MTU of this probe's network.",
  EPERM: "The firewall of this probe rejected the packets.",
  EACCES: "This machine does not permit packets to the address.",
  ENETUNREACH: "No route to the network of the host.",
  EHOSTUNREACH: "No route to the host.",
};

function explainUnsent(
  code: string,
  { packetSize }: TracerouteRequest,
  found: Found,
): TraceOutcome {
  if (code === "EAGAIN" || code === "ENOBUFS") return exhausted(code);
  const size = packetSize === null ? "" : ` The packet size is ${packetSize} bytes.`;
  const known = unsentMessages[code] ?? "No packet could be sent.";
  return unreachable({ kind: "unsendable", code, message: `${known}${size}`, ...found });
}
