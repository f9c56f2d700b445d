/**
 * Builds the request bodies of checks from terms that are independent of the kinds. Importers use
 * these functions to translate the monitors of other tools, so they need not know the kinds.
 */

type Comparison =
  | "EQUALS"
  | "NOT_EQUALS"
  | "CONTAINS"
  | "NOT_CONTAINS"
  | "GREATER_THAN"
  | "LESS_THAN"
  | "IS_EMPTY"
  | "NOT_EMPTY"
  | "HAS_KEY"
  | "NOT_HAS_KEY"
  | "IS_NULL"
  | "NOT_NULL";

export interface PayloadAssertion {
  readonly source: string;
  readonly property: string;
  readonly comparison: string;
  readonly target: string;
  readonly regex: string | null;
}

/** The part of a check's body that depends on the kind. */
export interface KindPayload {
  readonly checkType: string;
  readonly [field: string]: unknown;
}

type IpFamily = "IPv4" | "IPv6";

function build(
  source: string,
  comparison: Comparison,
  target: string | number,
  rest: { readonly property?: string; readonly regex?: string } = {},
): PayloadAssertion {
  const { property = "", regex = null } = rest;
  return { source, property, comparison, target: String(target), regex };
}

const status = "STATUS_CODE";
const text = "TEXT_BODY";

/** Functions that build assertions, named after what the assertion verifies. */
export const expect = {
  status: (code: number) => build(status, "EQUALS", code),
  statusNot: (code: number) => build(status, "NOT_EQUALS", code),
  statusAbove: (code: number) => build(status, "GREATER_THAN", code),
  statusBelow: (code: number) => build(status, "LESS_THAN", code),
  /** Builds assertions on a range of status codes. The range includes both bounds. */
  statusBetween: (from: number, to: number) => [
    build(status, "GREATER_THAN", from - 1),
    build(status, "LESS_THAN", to + 1),
  ],
  bodyContains: (part: string) => build(text, "CONTAINS", part),
  bodyLacks: (part: string) => build(text, "NOT_CONTAINS", part),
  body: (comparison: Comparison, target: string) => build(text, comparison, target),
  bodyMatches: (regex: string) => build(text, "NOT_EMPTY", "", { regex }),
  bodyMatchesNot: (regex: string) => build(text, "IS_EMPTY", "", { regex }),
  json: (path: string, comparison: Comparison, target: string) =>
    build("JSON_BODY", comparison, target, { property: path }),
  header: (name: string, comparison: Comparison, target: string, regex?: string) =>
    build("HEADERS", comparison, target, { property: name, ...(regex && { regex }) }),
  responseTimeBelow: (ms: number) => build("RESPONSE_TIME", "LESS_THAN", ms),
  responseTimeAbove: (ms: number) => build("RESPONSE_TIME", "GREATER_THAN", ms),
  received: (part: string) => build("RESPONSE_DATA", "CONTAINS", part),
  receivedMatches: (regex: string) => build("RESPONSE_DATA", "NOT_EMPTY", "", { regex }),
  answer: (comparison: Comparison, target: string) => build("TEXT_ANSWER", comparison, target),
  answerMatches: (regex: string) => build("TEXT_ANSWER", "NOT_EMPTY", "", { regex }),
  answerMatchesNot: (regex: string) => build("TEXT_ANSWER", "IS_EMPTY", "", { regex }),
  responseCode: (code: string) => build("RESPONSE_CODE", "EQUALS", code),
  latencyBelow: (ms: number) => build("LATENCY", "LESS_THAN", ms, { property: "avg" }),
} as const;

export type { Comparison };

/** Maximum response time limit of each kind, in milliseconds. */
const maxTimeMs = { web: 45_000, tcp: 45_000, dns: 5_000, grpc: 180_000 } as const;

function limitTime(
  timeoutMs: number | null | undefined,
  most: number,
): { readonly degradedResponseTime: null; readonly maxResponseTime: number } {
  const wanted = timeoutMs === null || timeoutMs === undefined ? most : Math.round(timeoutMs);
  return { degradedResponseTime: null, maxResponseTime: Math.min(Math.max(wanted, 1), most) };
}

export interface PayloadPair {
  readonly key: string;
  readonly value: string;
  readonly locked: boolean;
}

export interface WebTarget {
  readonly url: string;
  readonly method?: string;
  readonly headers?: readonly PayloadPair[];
  readonly body?: { readonly text: string; readonly type: "json" | "form" | "raw" | "graphql" };
  readonly basicAuth?: { readonly username: string; readonly password: string };
  readonly followRedirects?: boolean;
  readonly skipCertificate?: boolean;
  readonly ipFamily?: IpFamily | null;
  readonly timeoutMs?: number | null;
  readonly degradedMs?: number | null;
  readonly assertions?: readonly PayloadAssertion[];
}

const bodyTypes = { json: "JSON", form: "FORM", raw: "RAW", graphql: "GRAPHQL" } as const;

function hasCredentials(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && (parsed.username !== "" || parsed.password !== "");
}

function isPlain(target: WebTarget): boolean {
  const { method = "GET", headers = [], body, basicAuth, assertions = [] } = target;
  return (
    method === "GET" &&
    headers.length === 0 &&
    body === undefined &&
    basicAuth === undefined &&
    !hasCredentials(target.url) &&
    !target.url.includes("{{") &&
    assertions.every(({ source }) => source === status)
  );
}

/**
 * Builds a URL check if the request is a GET request that a URL check supports (`isPlain`),
 * otherwise an API check.
 */
export function webPayload(target: WebTarget): KindPayload {
  const { url, assertions = [], followRedirects = true, skipCertificate = false } = target;
  const shared = {
    url,
    followRedirects,
    skipSSL: skipCertificate,
    ipFamily: target.ipFamily ?? familyOf(URL.parse(url)?.hostname ?? ""),
    assertions,
  };
  const { maxResponseTime } = limitTime(target.timeoutMs, maxTimeMs.web);
  const degraded = target.degradedMs ?? null;
  const times = {
    degradedResponseTime: degraded !== null && degraded < maxResponseTime ? degraded : null,
    maxResponseTime,
  };
  if (isPlain(target)) return { checkType: "URL", request: shared, ...times };
  const { method = "GET", headers = [], body, basicAuth } = target;
  return {
    checkType: "API",
    request: {
      ...shared,
      method,
      headers,
      queryParameters: [],
      body: body?.text ?? "",
      bodyType: body === undefined ? "NONE" : bodyTypes[body.type],
      basicAuth: basicAuth ?? null,
    },
    ...times,
  };
}

/** HTTP methods that the request of a check may use. */
export const webMethods: readonly string[] = ["GET", "POST", "PUT", "HEAD", "DELETE", "PATCH"];

const familyOf = (host: string): IpFamily => (host.includes(":") ? "IPv6" : "IPv4");

export const maxPingsPerRun = 50;

export function pingPayload(target: {
  readonly host: string;
  readonly pings: number;
  readonly ipFamily?: IpFamily | null;
  /** Packet loss in percent at which a run fails. */
  readonly failingLoss?: number;
  readonly assertions?: readonly PayloadAssertion[];
}): KindPayload {
  const { host, pings, ipFamily, failingLoss = 100, assertions = [] } = target;
  return {
    checkType: "ICMP",
    request: {
      hostname: host,
      ipFamily: ipFamily ?? familyOf(host),
      pingCount: Math.min(Math.max(pings, 1), maxPingsPerRun),
      assertions,
    },
    degradedPacketLossThreshold: failingLoss,
    maxPacketLossThreshold: failingLoss,
  };
}

export function tcpPayload(target: {
  readonly host: string;
  readonly port: number;
  readonly ipFamily?: IpFamily | null;
  readonly data?: string | null;
  readonly timeoutMs?: number | null;
  readonly assertions?: readonly PayloadAssertion[];
}): KindPayload {
  const { host, port, ipFamily, data = null, assertions = [] } = target;
  return {
    checkType: "TCP",
    request: { hostname: host, port, ipFamily: ipFamily ?? familyOf(host), data, assertions },
    ...limitTime(target.timeoutMs, maxTimeMs.tcp),
  };
}

interface GrpcTarget {
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
  readonly skipCertificate?: boolean;
  readonly metadata?: readonly { readonly key: string; readonly value: string }[];
  readonly timeoutMs?: number | null;
  readonly assertions?: readonly PayloadAssertion[];
}

function grpcPayload(target: GrpcTarget, config: object): KindPayload {
  const { host, port, isSecure, skipCertificate = false, metadata = [] } = target;
  return {
    checkType: "GRPC",
    request: {
      url: host,
      port,
      ipFamily: familyOf(host),
      skipSSL: skipCertificate,
      grpcConfig: { ...config, tls: isSecure, metadata },
      assertions: target.assertions ?? [],
    },
    ...limitTime(target.timeoutMs, maxTimeMs.grpc),
  };
}

/**
 * Builds a gRPC check of the health service. Without a service name, it checks the whole server.
 */
export function grpcHealthPayload(
  target: GrpcTarget & { readonly service?: string | null },
): KindPayload {
  return grpcPayload(target, { mode: "HEALTH", service: target.service ?? "" });
}

/**
 * Builds a gRPC check that calls a unary method. The method (`package.Service/Method`) is defined
 * in a `.proto` file.
 */
export function grpcMethodPayload(
  target: GrpcTarget & {
    readonly proto: string;
    readonly method: string;
    readonly message: string;
  },
): KindPayload {
  const { proto: protoContent, method, message } = target;
  const file = { serviceDefinition: "PROTO_FILE", protoContent, method, message };
  return grpcPayload(target, { mode: "BEHAVIOR", ...file });
}

export const dnsRecordTypes: readonly string[] = [
  "A",
  "AAAA",
  "CNAME",
  "MX",
  "NS",
  "SOA",
  "TXT",
  "SRV",
  "CAA",
  "PTR",
];

export function dnsPayload(target: {
  readonly name: string;
  readonly record: string;
  readonly server: string | null;
  readonly port?: number | null;
  readonly isTcp?: boolean;
  readonly timeoutMs?: number | null;
  readonly assertions?: readonly PayloadAssertion[];
}): KindPayload {
  const { name, record, server, port, isTcp = false, assertions = [] } = target;
  return {
    checkType: "DNS",
    request: {
      query: name,
      recordType: record,
      nameServer: server,
      port: port ?? 53,
      protocol: isTcp ? "TCP" : "UDP",
      assertions,
    },
    ...limitTime(target.timeoutMs, maxTimeMs.dns),
  };
}

export function certificatePayload(target: {
  readonly host: string;
  readonly port: number;
  readonly ipFamily?: IpFamily | null;
  readonly days?: number | null;
  readonly serverName?: string | null;
  readonly skipCertificate?: boolean;
}): KindPayload {
  const { host, port, ipFamily, days, serverName = null, skipCertificate = false } = target;
  return {
    checkType: "SSL",
    request: {
      sslConfig: {
        hostname: host,
        port,
        ipFamily: ipFamily ?? familyOf(host),
        serverName,
        skipChainValidation: skipCertificate,
        ...(days && { alertDaysBeforeExpiry: Math.min(Math.max(days, 1), 365) }),
      },
      assertions: [],
    },
  };
}

/** Minimum and maximum period of pings in seconds. */
export const pingPeriods = { minSeconds: 30, maxSeconds: 365 * 86_400 } as const;

export function heartbeatPayload(target: {
  readonly periodSeconds: number | null;
  readonly cron?: string | null;
  readonly timezone?: string | null;
  readonly graceSeconds: number;
  /**
   * Token, which is the secret part of the ping URL. An import passes the UUID in the ping URL that
   * a job uses at another monitor, so that this part of the job's URL stays the same. By default, a
   * token is generated.
   */
  readonly token?: string;
}): KindPayload {
  const { periodSeconds, cron = null, timezone, graceSeconds, token } = target;
  return {
    checkType: "HEARTBEAT",
    heartbeat: {
      ...(periodSeconds === null
        ? { cron, timezone: timezone ?? "UTC" }
        : { period: periodSeconds, periodUnit: "seconds" }),
      grace: graceSeconds,
      graceUnit: "seconds",
      ...(token !== undefined && { pingToken: token }),
    },
  };
}
