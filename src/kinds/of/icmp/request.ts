import { Type } from "typebox";
import { Described, OrNull } from "../../../platform/http/schema.ts";
import type { IpFamily } from "../../../platform/net/host.ts";
import {
  type Assertion,
  type AssertionSources,
  createAssertionSchema,
  findAssertionFaults,
} from "../../kit/assertions/assertion.ts";
import { createJsonSource, createNumberSource } from "../../kit/assertions/sources.ts";
import type { Fault, KindFields } from "../../kit/definition.ts";
import { FamilyChoice, familyMeaning } from "../../kit/families/both-families.ts";
import type { VerdictSettings } from "../../kit/verdict.ts";
import { findHostFaults } from "../../wire/network/host-rules.ts";

export const maxPings = 50;

/** The request that a probe receives. */
export interface IcmpRequest {
  readonly hostname: string;
  readonly ipFamily: IpFamily;
  readonly pingCount: number;
}

interface OwnSettings {
  /** Packet loss in percent at or above which a run is degraded. */
  readonly degradedPacketLossThreshold: number;
  readonly maxPacketLossThreshold: number;
  readonly request: IcmpRequest & { readonly assertions: readonly Assertion[] };
}

export interface IcmpSettings extends VerdictSettings, OwnSettings {}

const latencyText = {
  label: "latency",
  unit: "ms",
  properties: {
    avg: "average latency",
    min: "minimum latency",
    max: "maximum latency",
    stdDev: "standard deviation of the latency",
  },
};

export const assertionSources: AssertionSources = {
  LATENCY: createNumberSource("LATENCY", latencyText, ({ latency }) => latency),
  JSON_RESPONSE: createJsonSource("JSON response", "$.packetLoss"),
};

const AssertionSchema = createAssertionSchema(["LATENCY", "JSON_RESPONSE"], {
  title: "Assertion",
  source: "What to compare: a latency in milliseconds, or a value in the result.",
  property: "One of avg, min, max and stdDev for LATENCY; a JSONPath for JSON_RESPONSE.",
  propertyExample: "avg",
});

const family = Type.Union([FamilyChoice, Type.Null()]);
const pings = Type.Union([Type.Integer({ minimum: 1, maximum: maxPings }), Type.Null()]);

const RequestBody = Type.Object({
  hostname: Type.String({
    description: "A host name or an IP address.",
    examples: ["router.example.com"],
    minLength: 1,
    maxLength: 2048,
  }),
  ipFamily: Described(Type.Optional(family), `${familyMeaning} \`null\` means IPv4.`),
  pingCount: Described(
    Type.Optional(pings),
    "Number of packets per run, half a second apart; `null` for 10.",
  ),
  assertions: Type.Optional(
    Type.Array(AssertionSchema, {
      description: "Assertions that must pass in addition to the loss thresholds.",
      maxItems: 50,
    }),
  ),
});

/**
 * Schema of the request in an update. Every field is optional; an omitted field keeps its stored
 * value.
 */
const RequestChange = Type.Partial(RequestBody);

const RequestSchema = Type.Object(
  {
    hostname: Type.String({
      description: "A host name or an IP address.",
      examples: ["router.example.com"],
    }),
    ipFamily: Described(FamilyChoice, familyMeaning),
    pingCount: Type.Integer({
      description: "Number of packets per run, half a second apart.",
      examples: [10],
    }),
    assertions: Type.Array(AssertionSchema, {
      description: "Assertions that must pass in addition to the loss thresholds.",
      examples: [[]],
    }),
  },
  { title: "IcmpRequest" },
);

const Percent = Type.Integer({ minimum: 0, maximum: 100 });
const Heartbeat = Type.Object({}, { additionalProperties: true });
const Script = OrNull(Type.String({ maxLength: 500_000 }));
const meaningless = "Stored for client compatibility; not used by ICMP checks.";

const settings = {
  degradedPacketLossThreshold: Described(
    Type.Optional(Percent),
    "Packet loss in percent at which a run is degraded.",
    10,
  ),
  maxPacketLossThreshold: Described(
    Type.Optional(Percent),
    "Packet loss in percent at which a run is failing.",
    20,
  ),
};

export const limitFields = {
  degradedPacketLossThreshold: Type.Number({
    description: "Packet loss in percent at which a run is degraded.",
    examples: [10],
  }),
  maxPacketLossThreshold: Type.Number({
    description: "Packet loss in percent at which a run is failing.",
    examples: [20],
  }),
};

export const fields = {
  target: {
    create: { request: Described(RequestBody, "The host to ping.") },
    change: { request: Described(Type.Optional(RequestChange), "The host to ping.") },
    shown: { request: Described(RequestSchema, "The host to ping.") },
  },
  settings,
  unused: {
    create: {
      heartbeat: Described(Type.Optional(OrNull(Heartbeat)), meaningless),
      script: Described(Type.Optional(Script), meaningless),
    },
    change: {
      heartbeat: Described(
        Heartbeat,
        "Required for client compatibility; not used by ICMP checks.",
        {},
      ),
      script: Type.String({
        description: "Required for client compatibility; not used by ICMP checks.",
        examples: [""],
        maxLength: 500_000,
      }),
    },
  },
} as const satisfies KindFields;

const OwnChange = Type.Object({ ...settings, request: Type.Optional(RequestChange) });

/**
 * Merges an update into the settings. An omitted field keeps its stored value, and `null` restores
 * the default.
 */
export function mergeSettings(
  before: OwnSettings | null,
  change: Type.Static<typeof OwnChange>,
): OwnSettings {
  const request = change.request ?? {};
  const { ipFamily = before?.request.ipFamily, pingCount = before?.request.pingCount } = request;
  return {
    degradedPacketLossThreshold:
      change.degradedPacketLossThreshold ?? before?.degradedPacketLossThreshold ?? 10,
    maxPacketLossThreshold: change.maxPacketLossThreshold ?? before?.maxPacketLossThreshold ?? 20,
    request: {
      hostname: request.hostname ?? before?.request.hostname ?? "",
      ipFamily: ipFamily ?? "IPv4",
      pingCount: pingCount ?? 10,
      assertions: request.assertions ?? before?.request.assertions ?? [],
    },
  };
}

export function findFaults({ request }: OwnSettings): Fault[] {
  return [...findHostFaults(request), ...findAssertionFaults(assertionSources, request.assertions)];
}

export function toRequest({ request }: OwnSettings): IcmpRequest {
  const { hostname, ipFamily, pingCount } = request;
  return { hostname, ipFamily, pingCount };
}

export function isIcmpRequest(value: unknown): value is IcmpRequest {
  if (typeof value !== "object" || value === null) return false;
  const { hostname, ipFamily, pingCount } = value as Partial<Record<keyof IcmpRequest, unknown>>;
  return (
    typeof hostname === "string" &&
    (ipFamily === "IPv4" || ipFamily === "IPv6") &&
    Number.isInteger(pingCount) &&
    Number(pingCount) >= 1 &&
    Number(pingCount) <= maxPings
  );
}

/**
 * Durations that determine the deadline of a run: the maximum time for name resolution, the
 * interval between packets, and the timeout of a reply.
 */
const resolveMs = 4_000;
export const spacingMs = 500;
export const replyMs = 3_000;
const slackMs = 8_000;

export function deadlineMs({ request }: OwnSettings): number {
  return resolveMs + (request.pingCount - 1) * spacingMs + replyMs + slackMs;
}
