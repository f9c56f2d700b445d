import type { IpFamily } from "../../../platform/net/host.ts";
import {
  type Assertion,
  type AssertionSources,
  findAssertionFaults,
} from "../../kit/assertions/assertion.ts";
import { createFigureSource, createNumberSource } from "../../kit/assertions/sources.ts";
import type { Fault } from "../../kit/definition.ts";
import type { KindTexts } from "../../kit/secrets.ts";
import type { VerdictSettings } from "../../kit/verdict.ts";
import { findHostFaults } from "../../wire/network/host-rules.ts";
import {
  maxHops as highestMaxHops,
  protocols,
  type TraceProtocol,
  type TracerouteMeasurement,
} from "./measurement.ts";
import { maxPacketSize, maxTimeoutSeconds, type OwnInput } from "./request-schema.ts";

interface TraceSettings {
  readonly protocol: TraceProtocol;
  /** Port of the target; `null` for ICMP. */
  readonly port: number | null;
  readonly ipFamily: IpFamily;
  readonly maxHops: number;
  readonly maxUnknownHops: number;
  readonly ptrLookup: boolean;
  /** Size of the IP packets in bytes; `null` for the smallest size. */
  readonly packetSize: number | null;
}

interface WrittenRequest extends TraceSettings {
  /** Host name or address without scheme and port. Existing clients call this field `url`. */
  readonly url: string;
  /** Timeout of the trace in seconds. */
  readonly timeout: number;
  readonly assertions: readonly Assertion[];
}

interface OwnSettings {
  readonly request: WrittenRequest;
}

export interface TracerouteSettings extends VerdictSettings, OwnSettings {}

/** The request that a probe receives. */
export interface TracerouteRequest extends TraceSettings {
  readonly hostname: string;
  /** Timeout of the trace. Name resolution and reverse lookups have separate timeouts. */
  readonly timeoutMs: number;
}

export const responseTimeLimits = {
  degradedMs: 3_000,
  failingMs: 5_000,
  highestMs: maxTimeoutSeconds * 1_000,
  areShown: true,
} as const;

/** Values of the response that assertions can compare. `buildResponse` creates the response. */
export const assertionSources: AssertionSources = {
  RESPONSE_TIME: createNumberSource(
    "RESPONSE_TIME",
    {
      label: "round trip",
      unit: "ms",
      properties: {
        avg: "average round trip",
        min: "lowest round trip",
        max: "highest round trip",
        stdDev: "standard deviation of round trips",
      },
    },
    ({ finalHopLatency }) => finalHopLatency,
  ),
  HOP_COUNT: createFigureSource(
    "HOP_COUNT",
    { label: "number of hops" },
    ({ totalHops }) => totalHops,
  ),
  PACKET_LOSS: createFigureSource(
    "PACKET_LOSS",
    { label: "packet loss", unit: "%" },
    ({ packetLoss }) => packetLoss,
  ),
};

export const defaultPorts = { TCP: 443, UDP: 33_434, ICMP: null } as const satisfies Readonly<
  Record<TraceProtocol, number | null>
>;

const defaults: WrittenRequest = {
  url: "",
  protocol: "TCP",
  port: defaultPorts.TCP,
  ipFamily: "IPv4",
  maxHops: 30,
  maxUnknownHops: 15,
  ptrLookup: true,
  packetSize: null,
  timeout: 10,
  assertions: [],
};

/**
 * Merges a change into the settings. If the protocol changes without a port, the port becomes the
 * default port of the new protocol.
 */
export function mergeSettings(before: OwnSettings | null, change: OwnInput): OwnSettings {
  const former = before?.request ?? defaults;
  const sent = change.request ?? {};
  const merged = { ...former, ...sent };
  const usual = defaultPorts[merged.protocol];
  const kept = merged.protocol === former.protocol ? former.port : usual;
  // Ignores the port that existing clients also send for ICMP, because ICMP has no ports.
  const port = merged.protocol === "ICMP" ? null : (sent.port ?? kept ?? usual);
  const packetSize =
    merged.protocol === "TCP" && sent.packetSize === undefined ? null : merged.packetSize;
  return { request: { ...merged, port, packetSize } };
}

export function findFaults({ request }: OwnSettings): Fault[] {
  const { url: hostname, ipFamily, protocol, packetSize, assertions } = request;
  const faults = findHostFaults({ hostname, ipFamily }).map(({ key, rule }) => ({
    key: key.replace("request.hostname", "request.url"),
    rule,
  }));
  if (protocol === "TCP" && packetSize !== null) {
    faults.push({ key: "request.packetSize", rule: "must be null when protocol is TCP" });
  }
  return [...faults, ...findAssertionFaults(assertionSources, assertions)];
}

/** Formats the target as `host`, as `host:port`, or as `[address]:port` for an IPv6 address. */
export function writeTarget({ url, port }: Pick<WrittenRequest, "url" | "port">): string {
  if (port === null) return url;
  return url.includes(":") ? `[${url}]:${port}` : `${url}:${port}`;
}

export function toRequest({ request }: TracerouteSettings): TracerouteRequest {
  const { url, timeout, assertions: _assertions, ...rest } = request;
  return { hostname: url, timeoutMs: timeout * 1_000, ...rest };
}

/**
 * Maximum duration of the name resolution. `maxNamesWaitMs` limits the reverse lookups after a
 * trace.
 */
const resolveMs = 4_000;
export const maxNamesWaitMs = 1_500;
/** Additional time for sending the request and the result. */
const slackMs = 8_000;

export function deadlineMs({ request }: TracerouteSettings): number {
  return resolveMs + request.timeout * 1_000 + maxNamesWaitMs + slackMs;
}

const isCount = (value: unknown, most: number) =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most;

/** Validates the request fields that a probe relies on. */
export function isTracerouteRequest(value: unknown): value is TracerouteRequest {
  if (typeof value !== "object" || value === null) return false;
  const request = value as Partial<Record<keyof TracerouteRequest, unknown>>;
  const { hostname, protocol, port, ipFamily, packetSize, timeoutMs } = request;
  return (
    typeof hostname === "string" &&
    protocols.some((name) => name === protocol) &&
    (protocol === "ICMP" ? port === null : isCount(port, 65_535)) &&
    (ipFamily === "IPv4" || ipFamily === "IPv6") &&
    isCount(request.maxHops, highestMaxHops) &&
    isCount(request.maxUnknownHops, highestMaxHops) &&
    typeof request.ptrLookup === "boolean" &&
    (packetSize === null || isCount(packetSize, maxPacketSize)) &&
    isCount(timeoutMs, maxTimeoutSeconds * 1_000)
  );
}

export const texts: KindTexts<TracerouteRequest, TracerouteMeasurement> = {
  mapRequest: (request, change) => ({ ...request, hostname: change(request.hostname) }),
  mapMeasurement: (measurement, change) => ({
    ...measurement,
    resolvedIp: change(measurement.resolvedIp),
    hops: measurement.hops.map((hop) => ({
      ...hop,
      addresses: hop.addresses.map(({ address, name }) => ({
        address: change(address),
        name: name === null ? null : change(name),
      })),
    })),
  }),
};
