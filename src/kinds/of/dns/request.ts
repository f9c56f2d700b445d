import { isIPv4 } from "node:net";
import { domainToASCII } from "node:url";
import { Type } from "typebox";
import { Described, OneOf, OrNull } from "../../../platform/http/schema.ts";
import { type IpFamily, parseHostname, parseIpv6 } from "../../../platform/net/host.ts";
import {
  type Assertion,
  type AssertionSources,
  createAssertionSchema,
  findAssertionFaults,
} from "../../kit/assertions/assertion.ts";
import {
  createFigureSource,
  createJsonSource,
  createTextSource,
  responseTimeText,
} from "../../kit/assertions/sources.ts";
import type { Fault, KindFields } from "../../kit/definition.ts";
import { FamilyChoice, familyMeaning } from "../../kit/families/both-families.ts";
import type { VerdictSettings } from "../../kit/verdict.ts";
import { maxNameBytes } from "./wire/name.ts";
import { type QueryType, queryTypes } from "./wire/record-types.ts";

type QueryName =
  /** `ascii` is in lower case and has no trailing dot. The root is `.`. */
  | { readonly kind: "name"; readonly ascii: string }
  | { readonly kind: "invalid"; readonly reason: string };

const maxLabelLength = 63;
/**
 * Allowed characters of a label. Besides the characters of host names, they include `_` for
 * services, `*` for wildcards and `/` for reverse zones (RFC 2317).
 */
const label = /^[A-Za-z0-9_*/+=-]+$/;
const nonAscii = /\P{ASCII}/u;

/** Parses the name to query. For PTR queries, an IP address becomes its reverse name. */
export function parseQueryName(text: string, type: QueryType): QueryName {
  if (text === "") return reject("The name is empty.");
  if (text === ".") return { kind: "name", ascii: "." };
  const reverse = type === "PTR" ? writeReverseName(text) : null;
  if (reverse !== null) return { kind: "name", ascii: reverse };
  const ascii = nonAscii.test(text) ? domainToASCII(text) : text.toLowerCase();
  if (ascii === "") return reject("The international name is not valid.");
  const name = ascii.endsWith(".") ? ascii.slice(0, -1) : ascii;
  for (const part of name.split(".")) {
    if (part === "") return reject("The name has an empty part between dots.");
    if (part.length > maxLabelLength) return reject("A part of the name is too long.");
    if (!label.test(part)) {
      return reject("The parts of a name may contain only letters, digits and - _ * / + =.");
    }
  }
  // A DNS message contains no dots: each part of the name starts with a length byte instead. The
  // first part also has a length byte, and a zero byte ends the name. The encoded name is therefore
  // two bytes longer than the text.
  if (name.length + 2 > maxNameBytes) return reject("The name is longer than 253 characters.");
  return { kind: "name", ascii: name };
}

function writeReverseName(text: string): string | null {
  if (isIPv4(text)) return `${text.split(".").reverse().join(".")}.in-addr.arpa`;
  const bytes = parseIpv6(text);
  if (bytes === null) return null;
  const digits = [...Buffer.from(bytes).toString("hex")];
  return `${digits.reverse().join(".")}.ip6.arpa`;
}

function reject(reason: string): QueryName {
  return { kind: "invalid", reason };
}

export const defaultPort = 53;
/** Minimum timeout. A shorter one could not distinguish a slow server from a lost packet. */
const minTimeoutMs = 1_000;
const maxTimeoutMs = 60_000;

/** The request that a probe receives. */
export interface DnsRequest {
  readonly query: string;
  readonly recordType: QueryType;
  /** Name or address of the DNS server; `null` for the first DNS server of the probe's system. */
  readonly nameServer: string | null;
  readonly port: number;
  readonly protocol: "UDP" | "TCP";
  /** IP family for reaching the server. If absent, the server's name is resolved to IPv4 first. */
  readonly ipFamily?: IpFamily;
  /** Maximum time from the first query to the complete answer. */
  readonly timeoutMs: number;
}

export function isDnsRequest(value: unknown): value is DnsRequest {
  if (typeof value !== "object" || value === null) return false;
  const request = value as Partial<Record<keyof DnsRequest, unknown>>;
  const { query, recordType, nameServer, port, protocol, ipFamily, timeoutMs } = request;
  return (
    typeof query === "string" &&
    queryTypes.some((type) => type === recordType) &&
    (nameServer === null || typeof nameServer === "string") &&
    Number.isInteger(port) &&
    Number(port) >= 1 &&
    Number(port) <= 65_535 &&
    (protocol === "UDP" || protocol === "TCP") &&
    (ipFamily === undefined || ipFamily === "IPv4" || ipFamily === "IPv6") &&
    typeof timeoutMs === "number" &&
    timeoutMs >= minTimeoutMs &&
    timeoutMs <= maxTimeoutMs
  );
}

interface OwnSettings {
  readonly request: Omit<DnsRequest, "timeoutMs"> & { readonly assertions: readonly Assertion[] };
}

export interface DnsSettings extends VerdictSettings, OwnSettings {}

export const responseTimeLimits = {
  degradedMs: 500,
  failingMs: 1_000,
  highestMs: 5_000,
  areShown: true,
} as const;

export const assertionSources: AssertionSources = {
  RESPONSE_TIME: createFigureSource("RESPONSE_TIME", responseTimeText, ({ timings }) =>
    typeof timings === "object" && timings !== null && "total" in timings ? timings.total : null,
  ),
  RESPONSE_CODE: createTextSource("response code", ({ responseCode }) => responseCode),
  TEXT_ANSWER: createTextSource("answer", ({ text }) => text),
  /** The root `$` of a JSONPath is the answer. */
  JSON_ANSWER: createJsonSource("JSON answer", "$.Answer[0].data", ({ json }) => json),
};

const AssertionSchema = createAssertionSchema(
  ["RESPONSE_TIME", "RESPONSE_CODE", "TEXT_ANSWER", "JSON_ANSWER"],
  {
    title: "DnsAssertion",
    source:
      "What to compare: the response time in milliseconds, the response code such as NXDOMAIN, " +
      "the answer as text, or a value in the answer as JSON.",
    property:
      "A JSONPath such as `$.Answer[0].data` for JSON_ANSWER, a regular expression for the texts " +
      "in place of `regex`; empty for the response time.",
    propertyExample: "$.Answer[0].data",
  },
);

const RecordType = OneOf(queryTypes);
const Protocol = OneOf(["UDP", "TCP"]);
const Port = Type.Integer({ minimum: 1, maximum: 65_535 });
const maxNameLength = 100;

const words = {
  query: "The name to query. PTR also accepts an IP address.",
  recordType: "The record type to query.",
  nameServer:
    "The DNS server, as host name or IP address; `null` for the first server of the probe's system.",
  port: "The port of the server.",
  protocol: "The transport. An answer that is truncated over UDP is fetched over TCP.",
  ipFamily: `${familyMeaning} \`null\` means either, IPv4 first.`,
  assertions: "Assertions that must pass. Without one on RESPONSE_CODE, the code must be NOERROR.",
};

const optional = {
  nameServer: Described(
    Type.Optional(OrNull(Type.String({ maxLength: maxNameLength }))),
    words.nameServer,
    "ns1.example.com",
  ),
  port: Described(Type.Optional(Port), words.port, 53),
  protocol: Described(Type.Optional(Protocol), words.protocol, "UDP"),
  ipFamily: Described(Type.Optional(OrNull(FamilyChoice)), words.ipFamily, null),
  assertions: Type.Optional(
    Type.Array(AssertionSchema, { description: words.assertions, maxItems: 50 }),
  ),
};

const RequestBody = Type.Object({
  query: Type.String({
    description: words.query,
    examples: ["www.example.com"],
    minLength: 1,
    maxLength: maxNameLength,
  }),
  recordType: Described(RecordType, words.recordType, "A"),
  ...optional,
});

/** Schema of an update. Every field is optional; an omitted field keeps its stored value. */
const RequestChange = Type.Partial(RequestBody);

const RequestSchema = Type.Object(
  {
    query: Type.String({ description: words.query, examples: ["www.example.com"] }),
    recordType: Described(RecordType, words.recordType, "A"),
    nameServer: Described(OrNull(Type.String()), words.nameServer, "ns1.example.com"),
    port: Type.Integer({ description: words.port, examples: [53] }),
    protocol: Described(Protocol, words.protocol, "UDP"),
    ipFamily: Described(OrNull(FamilyChoice), words.ipFamily, null),
    assertions: Type.Array(AssertionSchema, { description: words.assertions, examples: [[]] }),
  },
  { title: "DnsRequest" },
);

const what = "The query and the DNS server.";

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
  const { nameServer = before?.request.nameServer ?? null } = request;
  const { ipFamily = before?.request.ipFamily ?? null } = request;
  return {
    request: {
      query: request.query ?? before?.request.query ?? "",
      recordType: request.recordType ?? before?.request.recordType ?? "A",
      nameServer: nameServer === "" ? null : nameServer,
      port: request.port ?? before?.request.port ?? defaultPort,
      protocol: request.protocol ?? before?.request.protocol ?? "UDP",
      ...(ipFamily && { ipFamily }),
      assertions: request.assertions ?? before?.request.assertions ?? [],
    },
  };
}

export function findFaults({ request }: OwnSettings): Fault[] {
  const { query, recordType, nameServer, ipFamily, assertions } = request;
  const faults: Fault[] = [];
  const name = parseQueryName(query, recordType);
  if (name.kind === "invalid") {
    faults.push({ key: "request.query", rule: `is not a valid name: ${name.reason}` });
  }
  const server = nameServer === null ? null : parseHostname(nameServer);
  if (server?.kind === "invalid") {
    faults.push({ key: "request.nameServer", rule: `is not a valid host: ${server.reason}` });
  }
  if (server?.kind === "address" && ipFamily !== undefined && ipFamily !== server.family) {
    const rule = `must be null or ${server.family} for the address ${server.address}`;
    faults.push({ key: "request.ipFamily", rule });
  }
  return [...faults, ...findAssertionFaults(assertionSources, assertions)];
}

/** Formats a target such as `www.example.com (A)`. */
export function writeTarget({ query, recordType }: Pick<DnsRequest, "query" | "recordType">) {
  return `${query} (${recordType})`;
}

const timeoutWithoutLimitMs = 5_000;
/** Time allowed for sending the run order to the probe and for sending the result back. */
const slackMs = 8_000;
/** Timeout of resolving the name of a DNS server, for both IP families together. */
const resolveMs = 8_000;

/**
 * Returns the timeout of a run: its failing limit, because a slower run fails anyway, or a default.
 */
function timeoutOf({ maxResponseTime }: VerdictSettings): number {
  return Math.max(minTimeoutMs, maxResponseTime ?? timeoutWithoutLimitMs);
}

export function toRequest(settings: DnsSettings): DnsRequest {
  const { query, recordType, nameServer, port, protocol, ipFamily } = settings.request;
  const timeoutMs = timeoutOf(settings);
  const request = { query, recordType, nameServer, port, protocol, timeoutMs };
  return ipFamily ? { ...request, ipFamily } : request;
}

export function deadlineMs(settings: DnsSettings): number {
  return resolveMs + timeoutOf(settings) + slackMs;
}
