import { Type } from "typebox";
import { Described, OrNull } from "../../platform/http/schema.ts";
import {
  type Assertion,
  type AssertionSources,
  createAssertionSchema,
  findAssertionFaults,
} from "../assertions/assertion.ts";
import { createJsonSource, createNumberSource } from "../assertions/sources.ts";
import type { Fault, KindFields } from "../kind.ts";
import { findHostFaults } from "../network/host-faults.ts";
import type { IpFamily } from "../network/ip-address.ts";
import type { VerdictSettings } from "../verdict.ts";

const ipFamilies = ["IPv4", "IPv6"] as const;
export const maxPings = 50;

/** What a probe is asked for. */
export interface IcmpRequest {
  readonly hostname: string;
  readonly ipFamily: IpFamily;
  readonly pingCount: number;
}

interface OwnSettings {
  /** Percent. */
  readonly degradedPacketLossThreshold: number;
  readonly maxPacketLossThreshold: number;
  readonly request: IcmpRequest & { readonly assertions: readonly Assertion[] };
}

export interface IcmpSettings extends VerdictSettings, OwnSettings {}

export const latencyProperties = ["avg", "min", "max", "stdDev"] as const;

export const assertionSources: AssertionSources = {
  LATENCY: createNumberSource("LATENCY", latencyProperties, ({ latency }) => latency),
  JSON_RESPONSE: createJsonSource("$.packetLoss"),
};

const AssertionSchema = createAssertionSchema(["LATENCY", "JSON_RESPONSE"], {
  title: "Assertion",
  source: "What is compared: a latency in milliseconds, or a place in the result.",
  property: "Of LATENCY one of avg, min, max and stdDev; of JSON_RESPONSE a JSONPath.",
  propertyExample: "avg",
});

const family = Type.Union([Type.Enum(["IPv4", "IPv6"], { type: "string" }), Type.Null()]);
const pings = Type.Union([Type.Integer({ minimum: 1, maximum: maxPings }), Type.Null()]);

const RequestBody = Type.Object({
  hostname: Type.String({
    description: "A host name or an IP address.",
    examples: ["router.example.com"],
    minLength: 1,
    maxLength: 2048,
  }),
  ipFamily: Described(Type.Optional(family), "Which address of the host is pinged; null: IPv4."),
  pingCount: Described(
    Type.Optional(pings),
    "How many packets a run sends, half a second apart; null: 10.",
  ),
  assertions: Type.Optional(
    Type.Array(AssertionSchema, {
      description: "What must hold for a run to pass, beyond the loss thresholds.",
      maxItems: 50,
    }),
  ),
});

/** An update may leave out the host name too; then it stays as it is. */
const RequestChange = Type.Partial(RequestBody);

const RequestSchema = Type.Object(
  {
    hostname: Type.String({
      description: "A host name or an IP address.",
      examples: ["router.example.com"],
    }),
    ipFamily: Type.Enum([...ipFamilies], {
      description: "Which address of the host is pinged.",
      type: "string",
    }),
    pingCount: Type.Integer({
      description: "How many packets a run sends, half a second apart.",
      examples: [10],
    }),
    assertions: Type.Array(AssertionSchema, {
      description: "What must hold for a run to pass, beyond the loss thresholds.",
      examples: [[]],
    }),
  },
  { title: "IcmpRequest" },
);

const Percent = Type.Integer({ minimum: 0, maximum: 100 });
const Heartbeat = Type.Object({}, { additionalProperties: true });
const Script = OrNull(Type.String({ maxLength: 500_000 }));
const meaningless = "Stored for clients that send it; means nothing for a ping.";

const settings = {
  degradedPacketLossThreshold: Described(
    Type.Optional(Percent),
    "A run with this loss or more, in percent, is degraded.",
    10,
  ),
  maxPacketLossThreshold: Described(
    Type.Optional(Percent),
    "A run with this loss or more, in percent, is failing.",
    20,
  ),
};

export const limitFields = {
  degradedPacketLossThreshold: Type.Number({
    description: "A run with this loss or more, in percent, is degraded.",
    examples: [10],
  }),
  maxPacketLossThreshold: Type.Number({
    description: "A run with this loss or more, in percent, is failing.",
    examples: [20],
  }),
};

export const fields = {
  target: {
    create: { request: Described(RequestBody, "What is pinged, and how.") },
    change: { request: Described(Type.Optional(RequestChange), "What is pinged, and how.") },
    shown: { request: Described(RequestSchema, "What is pinged, and how.") },
  },
  settings,
  unused: {
    create: {
      heartbeat: Described(Type.Optional(OrNull(Heartbeat)), meaningless),
      script: Described(Type.Optional(Script), meaningless),
    },
    change: {
      heartbeat: Described(Heartbeat, "Must be sent, and means nothing for a ping.", {}),
      script: Type.String({
        description: "Must be sent, and means nothing for a ping.",
        examples: [""],
        maxLength: 500_000,
      }),
    },
  },
} as const satisfies KindFields;

const OwnChange = Type.Object({ ...settings, request: Type.Optional(RequestChange) });

/** What is left out keeps its value, and null puts the default back. */
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

/** A name may take four seconds, each further packet half a second, the last reply three more. */
const resolveMs = 4_000;
export const spacingMs = 500;
export const replyMs = 3_000;
const slackMs = 8_000;

export function deadlineMs({ request }: OwnSettings): number {
  return resolveMs + (request.pingCount - 1) * spacingMs + replyMs + slackMs;
}
