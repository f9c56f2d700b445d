import { Type } from "typebox";
import { Described, OrNull } from "../../../platform/http/schema.ts";
import type { IpFamily } from "../../../platform/net/host.ts";
import {
  type Assertion,
  type AssertionSources,
  createAssertionSchema,
  findAssertionFaults,
} from "../../kit/assertions/assertion.ts";
import {
  createFigureSource,
  createTextSource,
  responseTimeText,
} from "../../kit/assertions/sources.ts";
import type { Fault, KindFields } from "../../kit/definition.ts";
import { FamilyChoice, familyMeaning } from "../../kit/families/both-families.ts";
import type { KindTexts } from "../../kit/secrets.ts";
import type { VerdictSettings } from "../../kit/verdict.ts";
import { findHostFaults } from "../../wire/network/host-rules.ts";
import { maxDataLength, type TcpMeasurement } from "./measurement.ts";

/**
 * What the probe waits for after connecting: nothing, a response, or a short silence that proves
 * that the server sends nothing.
 */
export type AwaitedAnswer = "none" | "wanted" | "silence";

/** The request that a probe receives. */
export interface TcpRequest {
  readonly hostname: string;
  readonly port: number;
  readonly ipFamily: IpFamily;
  readonly data: string | null;
  readonly answer: AwaitedAnswer;
  /** Timeout of the whole run: name resolution, connection and response. */
  readonly timeoutMs: number;
}

interface OwnSettings {
  readonly request: Pick<TcpRequest, "hostname" | "port" | "ipFamily" | "data"> & {
    readonly assertions: readonly Assertion[];
  };
}

export interface TcpSettings extends VerdictSettings, OwnSettings {}

export const responseTimeLimits = {
  degradedMs: 3_000,
  failingMs: 5_000,
  highestMs: 45_000,
  areShown: true,
} as const;

export const assertionSources: AssertionSources = {
  RESPONSE_TIME: createFigureSource("RESPONSE_TIME", responseTimeText, ({ timings }) =>
    typeof timings === "object" && timings !== null && "total" in timings ? timings.total : null,
  ),
  RESPONSE_DATA: createTextSource("response data", ({ data }) => data),
};

const AssertionSchema = createAssertionSchema(["RESPONSE_TIME", "RESPONSE_DATA"], {
  title: "TcpAssertion",
  source: "What to compare: the response time in milliseconds, or the received text.",
  property: "A regular expression, in place of `regex`; empty for the response time.",
  propertyExample: "",
});

const Port = Type.Integer({ minimum: 1, maximum: 65_535 });
const Data = OrNull(Type.String({ maxLength: maxDataLength }));

const words = {
  hostname: "A host name or an IP address.",
  port: "The port to connect to.",
  data: "Text to send after connecting, as UTF-8; `null` for none.",
  assertions: "Assertions that must pass in addition to the connection itself.",
};

const Hostname = Type.String({
  description: words.hostname,
  examples: ["db.example.com"],
  minLength: 1,
  maxLength: 2048,
});

const optional = {
  data: Described(Type.Optional(Data), words.data, null),
  ipFamily: Described(Type.Optional(FamilyChoice), familyMeaning, "IPv4"),
  assertions: Type.Optional(
    Type.Array(AssertionSchema, { description: words.assertions, maxItems: 50 }),
  ),
};

const RequestBody = Type.Object({
  hostname: Hostname,
  port: Described(Port, words.port, 5432),
  ...optional,
});

/** Schema of an update. Every field is optional; an omitted field keeps its stored value. */
const RequestChange = Type.Partial(RequestBody);

const RequestSchema = Type.Object(
  {
    hostname: Type.String({ description: words.hostname, examples: ["db.example.com"] }),
    port: Type.Integer({ description: words.port, examples: [5432] }),
    data: Described(OrNull(Type.String()), words.data, null),
    ipFamily: Described(FamilyChoice, familyMeaning, "IPv4"),
    assertions: Type.Array(AssertionSchema, { description: words.assertions, examples: [[]] }),
  },
  { title: "TcpRequest" },
);

const what = "The host to connect to and the data to send.";

export const fields = {
  target: {
    create: { request: Described(RequestBody, what) },
    change: { request: Described(Type.Optional(RequestChange), what) },
    shown: { request: Described(RequestSchema, what) },
  },
  settings: {},
  unused: { create: {}, change: {} },
} as const satisfies KindFields;

const OwnChange = Type.Object({ request: Type.Optional(RequestChange) });

export function mergeSettings(
  before: OwnSettings | null,
  change: Type.Static<typeof OwnChange>,
): OwnSettings {
  const request = change.request ?? {};
  const { data = before?.request.data ?? null } = request;
  return {
    request: {
      hostname: request.hostname ?? before?.request.hostname ?? "",
      port: request.port ?? before?.request.port ?? 0,
      data,
      ipFamily: request.ipFamily ?? before?.request.ipFamily ?? "IPv4",
      assertions: request.assertions ?? before?.request.assertions ?? [],
    },
  };
}

export function findFaults({ request }: OwnSettings): Fault[] {
  return [...findHostFaults(request), ...findAssertionFaults(assertionSources, request.assertions)];
}

/** Formats a target as `host:port`, with brackets around IPv6 addresses. */
export function writeEndpoint({ hostname, port }: Pick<TcpRequest, "hostname" | "port">): string {
  return hostname.includes(":") ? `[${hostname}]:${port}` : `${hostname}:${port}`;
}

function findAwaitedAnswer({ data, assertions }: OwnSettings["request"]): AwaitedAnswer {
  const aboutData = assertions.filter(({ source }) => source === "RESPONSE_DATA");
  if (aboutData.some(({ comparison }) => comparison === "IS_EMPTY")) return "silence";
  return aboutData.length > 0 || (data !== null && data !== "") ? "wanted" : "none";
}

/** Minimum timeout. A shorter timeout could not distinguish a slow server from a lost packet. */
const minTimeoutMs = 1_000;
const timeoutWithoutLimitMs = 30_000;
/** Time allowed for sending the run order to the probe and for sending the result back. */
const slackMs = 8_000;

/**
 * Returns the timeout of a run: its failing limit, because a slower run fails anyway, or a default.
 */
function timeoutOf({ maxResponseTime }: VerdictSettings): number {
  return Math.max(minTimeoutMs, maxResponseTime ?? timeoutWithoutLimitMs);
}

export function toRequest(settings: TcpSettings): TcpRequest {
  const { hostname, port, ipFamily, data } = settings.request;
  const answer = findAwaitedAnswer(settings.request);
  return { hostname, port, ipFamily, data, answer, timeoutMs: timeoutOf(settings) };
}

/** Timeout of name resolution. */
const resolveMs = 4_000;

export function deadlineMs(settings: TcpSettings): number {
  return Math.max(resolveMs, timeoutOf(settings)) + slackMs;
}

export function isTcpRequest(value: unknown): value is TcpRequest {
  if (typeof value !== "object" || value === null) return false;
  const request = value as Partial<Record<keyof TcpRequest, unknown>>;
  const { hostname, port, ipFamily, data, answer, timeoutMs } = request;
  return (
    typeof hostname === "string" &&
    Number.isInteger(port) &&
    Number(port) >= 1 &&
    Number(port) <= 65_535 &&
    (ipFamily === "IPv4" || ipFamily === "IPv6") &&
    (data === null || typeof data === "string") &&
    (answer === "none" || answer === "wanted" || answer === "silence") &&
    typeof timeoutMs === "number" &&
    timeoutMs >= minTimeoutMs &&
    timeoutMs <= 300_000
  );
}

export const texts: KindTexts<TcpRequest, TcpMeasurement> = {
  mapRequest: (request, change) => ({
    ...request,
    hostname: change(request.hostname),
    data: request.data === null ? null : change(request.data),
  }),
  mapMeasurement: (measurement, change) => ({
    ...measurement,
    resolvedIp: change(measurement.resolvedIp),
    text: change(measurement.text),
  }),
};
