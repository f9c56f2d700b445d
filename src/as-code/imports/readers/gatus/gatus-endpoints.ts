import {
  type Comparison,
  certificatePayload,
  dnsPayload,
  dnsRecordTypes,
  expect,
  grpcHealthPayload,
  type KindPayload,
  type PayloadAssertion,
  pingPayload,
  tcpPayload,
  webMethods,
  webPayload,
} from "../../../../kinds/kit/check-payloads.ts";
import type { Origin, ReadingBuilder } from "../../reading-builder.ts";
import { parseSeconds } from "../frequency.ts";
import { toHeaders, toJsonPath } from "../http-settings.ts";
import type { Row } from "../row.ts";
import { trimHost } from "../row.ts";

/** Translation of a Gatus condition that a check can express. */
interface Translated {
  readonly assertions: readonly PayloadAssertion[];
  /** How many days before the expiry of the certificate an alert is sent. */
  readonly certificateDays?: number;
}

const nothing: Translated = { assertions: [] };
const only = (assertion: PayloadAssertion): Translated => ({ assertions: [assertion] });

const comparisons: Readonly<Record<string, Comparison>> = {
  "==": "EQUALS",
  "!=": "NOT_EQUALS",
  ">": "GREATER_THAN",
  "<": "LESS_THAN",
};

function translateStatus(operator: string, right: string): Translated | null {
  const code = Number(right);
  if (!Number.isInteger(code)) return null;
  switch (operator) {
    case "==":
      return only(expect.status(code));
    case "!=":
      return only(expect.statusNot(code));
    case "<":
      return only(expect.statusBelow(code));
    case "<=":
      return only(expect.statusBelow(code + 1));
    case ">":
      return only(expect.statusAbove(code));
    default:
      return only(expect.statusAbove(code - 1));
  }
}

function translateBody(operator: string, right: string, isAnswer: boolean): Translated | null {
  const equals = operator === "==";
  if (!equals && operator !== "!=") return null;
  const [, part] = /^pat\(\*([^*?]+)\*\)$/.exec(right) ?? [];
  if (isAnswer) {
    const text = part ?? right;
    return /[*?()]/.test(text)
      ? null
      : only(expect.answer(equals ? "CONTAINS" : "NOT_CONTAINS", text));
  }
  if (part !== undefined) return only(equals ? expect.bodyContains(part) : expect.bodyLacks(part));
  if (/^(?:pat|any)\(/.test(right)) return null;
  return only(expect.body(equals ? "EQUALS" : "NOT_EQUALS", right));
}

function translatePath(path: string, operator: string, right: string): Translated | null {
  const converted = toJsonPath(path);
  const comparison = comparisons[operator];
  if (converted === null || comparison === undefined || /^(?:pat|any)\(/.test(right)) return null;
  return only(expect.json(converted, comparison, right.replace(/^"(.*)"$/, "$1")));
}

/** Translates a condition such as `[STATUS] == 200`. */
function translateCondition(text: string, isDns: boolean): Translated | null {
  const [, left = "", operator = "", right = ""] =
    /^(.*?) (==|!=|<=|>=|<|>) (.*)$/.exec(text.trim()) ?? [];
  if (left === "[STATUS]") return translateStatus(operator, right);
  if (left === "[CONNECTED]") return operator === "==" && right === "true" ? nothing : null;
  if (left === "[RESPONSE_TIME]") {
    const ms = Number(right);
    if (!Number.isFinite(ms)) return null;
    if (operator === "<") return only(expect.responseTimeBelow(ms));
    if (operator === "<=") return only(expect.responseTimeBelow(ms + 1));
    return operator === ">" ? only(expect.responseTimeAbove(ms)) : null;
  }
  if (left === "[CERTIFICATE_EXPIRATION]") {
    const seconds = parseSeconds(right);
    const isMinimum = operator === ">" || operator === ">=";
    if (seconds === null || !isMinimum) return null;
    return { assertions: [], certificateDays: Math.ceil(seconds / 86_400) };
  }
  if (left === "[DNS_RCODE]") return operator === "==" ? only(expect.responseCode(right)) : null;
  if (left === "[BODY]") return translateBody(operator, right, isDns);
  if (left.startsWith("[BODY].")) return translatePath(left.slice(7), operator, right);
  return left.startsWith("[BODY][") ? translatePath(left.slice(6), operator, right) : null;
}

interface Endpoint {
  readonly payload: KindPayload;
  readonly certificateDays?: number;
}

interface Conditions {
  readonly assertions: readonly PayloadAssertion[];
  /** The conditions that became assertions. */
  readonly asserted: readonly string[];
  readonly certificateDays: number | undefined;
}

function readConditions(builder: ReadingBuilder, origin: Origin, row: Row): Conditions {
  const isDns = row.get("dns") !== undefined;
  const assertions: PayloadAssertion[] = [];
  const asserted: string[] = [];
  let certificateDays: number | undefined;
  for (const condition of row.list("conditions").map(String)) {
    const translated = translateCondition(condition, isDns);
    if (translated === null) {
      const why = "It cannot be expressed as an assertion; add it by hand.";
      builder.change(origin, "condition", { from: condition, to: "none", why });
      continue;
    }
    if (translated.assertions.length > 0) asserted.push(condition);
    assertions.push(...translated.assertions);
    certificateDays = translated.certificateDays ?? certificateDays;
  }
  return { assertions, asserted, certificateDays };
}

/** Reports the conditions of an endpoint whose check has no assertions. */
function reportUnasserted(builder: ReadingBuilder, origin: Origin, { asserted }: Conditions): void {
  const why = "Checks of this kind have no such assertion; set a limit by hand if there is one.";
  for (const from of asserted) builder.change(origin, "condition", { from, to: "none", why });
}

const families = { ip4: "IPv4", ip6: "IPv6" } as const;
const unusedOptions = [
  "proxy-url",
  "oauth2",
  "identity-aware-proxy",
  "tls",
  "tunnel",
  "dns-resolver",
];

function reportClient(builder: ReadingBuilder, origin: Origin, client: Row): void {
  for (const key of unusedOptions) {
    if (client.get(key) === undefined) continue;
    builder.change(origin, `client.${key}`, {
      from: "set",
      to: "none",
      why: "Checks have no such option.",
    });
  }
}

const defaultPorts: Readonly<Record<string, number>> = {
  "wss:": 443,
  "ws:": 80,
  "ssh:": 22,
};

function toWeb(
  builder: ReadingBuilder,
  origin: Origin,
  row: Row,
  { assertions }: Conditions,
): KindPayload | null {
  const method = (row.text("method") ?? "GET").toUpperCase();
  if (!webMethods.includes(method)) {
    builder.leaveOut(origin, `Checks do not send ${method} requests.`);
    return null;
  }
  const client = row.row("client");
  const body = row.text("body");
  const type = row.flag("graphql") ? "graphql" : "raw";
  return webPayload({
    url: row.text("url") ?? "",
    method,
    headers: toHeaders(row.get("headers")),
    ...(body !== null && { body: { text: body, type } as const }),
    followRedirects: !client.flag("ignore-redirect"),
    skipCertificate: client.flag("insecure"),
    ipFamily: families[client.text("network") as keyof typeof families] ?? null,
    timeoutMs: (parseSeconds(client.get("timeout")) ?? 10) * 1_000,
    assertions,
  });
}

function toDns(
  builder: ReadingBuilder,
  origin: Origin,
  row: Row,
  { assertions }: Conditions,
): KindPayload | null {
  const dns = row.row("dns");
  const record = (dns.text("query-type") ?? "A").toUpperCase();
  if (!dnsRecordTypes.includes(record)) {
    builder.leaveOut(origin, `Checks do not query ${record} records.`);
    return null;
  }
  const server = URL.parse(`dns://${(row.text("url") ?? "").replace(/^\w+:\/\//, "")}`);
  return dnsPayload({
    name: dns.text("query-name") ?? "",
    record,
    server: server === null ? null : trimHost(server.hostname),
    port: server === null || server.port === "" ? null : Number(server.port),
    assertions,
  });
}

/**
 * Translates a gRPC endpoint. The resulting check has no assertions. The condition `[CONNECTED]`
 * needs no assertion, because every run verifies the connection.
 */
function toGrpc(row: Row, url: URL): KindPayload {
  const isSecure = url.protocol === "grpcs:";
  const port = url.port === "" ? (isSecure ? 443 : 80) : Number(url.port);
  const client = row.row("client");
  return grpcHealthPayload({
    host: trimHost(url.hostname),
    port,
    isSecure,
    skipCertificate: client.flag("insecure"),
    timeoutMs: (parseSeconds(client.get("timeout")) ?? 10) * 1_000,
  });
}

/** Translates an endpoint by the scheme of its URL. */
export function translateEndpoint(
  builder: ReadingBuilder,
  origin: Origin,
  row: Row,
): Endpoint | null {
  const conditions = readConditions(builder, origin, row);
  const { assertions, certificateDays } = conditions;
  reportClient(builder, origin, row.row("client"));
  const complete = (payload: KindPayload | null) =>
    payload === null
      ? null
      : { payload, ...(certificateDays !== undefined && { certificateDays }) };
  if (row.get("dns") !== undefined) return complete(toDns(builder, origin, row, conditions));
  const url = URL.parse(row.text("url") ?? "");
  const host = url === null ? "" : trimHost(url.hostname);
  const port = url === null || url.port === "" ? null : Number(url.port);
  const completePlain = (payload: KindPayload) => {
    reportUnasserted(builder, origin, conditions);
    return complete(payload);
  };
  switch (url?.protocol) {
    case "http:":
    case "https:":
      return complete(toWeb(builder, origin, row, conditions));
    case "icmp:":
      return completePlain(pingPayload({ host, pings: 1 }));
    case "tcp:":
      return complete(tcpPayload({ host, port: port ?? 0, assertions }));
    case "tls:":
      return completePlain(
        certificatePayload({ host, port: port ?? 443, days: certificateDays ?? null }),
      );
    case "grpc:":
    case "grpcs:":
      return completePlain(toGrpc(row, url));
    case "starttls:":
    case "ws:":
    case "wss:":
    case "ssh:": {
      const fallback = defaultPorts[url.protocol] ?? 25;
      builder.change(origin, "type", {
        from: url.protocol.slice(0, -1),
        to: `TCP connection to port ${port ?? fallback}`,
        why: "There is no check of this type. The check only connects.",
      });
      return completePlain(tcpPayload({ host, port: port ?? fallback }));
    }
    default:
      builder.leaveOut(origin, "There is no check for URLs of this kind.");
      return null;
  }
}
