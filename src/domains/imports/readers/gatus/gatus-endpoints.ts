import {
  certificatePayload,
  dnsPayload,
  dnsRecordTypes,
  grpcHealthPayload,
  type KindPayload,
  type PayloadAssertion,
  pingPayload,
  tcpPayload,
  webMethods,
  webPayload,
} from "../../../../kinds/check-payloads.ts";
import type { Origin, ReadingBuilder } from "../../reading-builder.ts";
import { parseSeconds } from "../durations.ts";
import { toHeaders } from "../headers.ts";
import { trimHost } from "../names.ts";
import type { Row } from "../row.ts";
import { translateCondition } from "./gatus-conditions.ts";

interface Endpoint {
  readonly payload: KindPayload;
  readonly certificateDays?: number;
}

interface Conditions {
  readonly assertions: readonly PayloadAssertion[];
  readonly certificateDays: number | undefined;
}

function readConditions(builder: ReadingBuilder, origin: Origin, row: Row): Conditions {
  const isDns = row.get("dns") !== undefined;
  const assertions: PayloadAssertion[] = [];
  let certificateDays: number | undefined;
  for (const condition of row.list("conditions").map(String)) {
    const translated = translateCondition(condition, isDns);
    if (translated === null) {
      const why = "It cannot be expressed as an assertion; add it by hand.";
      builder.change(origin, "condition", { from: condition, to: "none", why });
      continue;
    }
    assertions.push(...translated.assertions);
    certificateDays = translated.certificateDays ?? certificateDays;
  }
  return { assertions, certificateDays };
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

/** Its conditions are `[CONNECTED]` and others that a run decides itself. */
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
  switch (url?.protocol) {
    case "http:":
    case "https:":
      return complete(toWeb(builder, origin, row, conditions));
    case "icmp:":
      return complete(pingPayload({ host, pings: 1 }));
    case "tcp:":
      return complete(tcpPayload({ host, port: port ?? 0, assertions }));
    case "tls:":
      return complete(
        certificatePayload({ host, port: port ?? 443, days: certificateDays ?? null }),
      );
    case "grpc:":
    case "grpcs:":
      return complete(toGrpc(row, url));
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
      return complete(tcpPayload({ host, port: port ?? fallback }));
    }
    default:
      builder.leaveOut(origin, "There is no check for URLs of this kind.");
      return null;
  }
}
