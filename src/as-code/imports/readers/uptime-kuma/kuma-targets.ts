import {
  dnsPayload,
  dnsRecordTypes,
  expect,
  heartbeatPayload,
  type PayloadAssertion,
  pingPayload,
  pingPeriods,
  tcpPayload,
} from "../../../../kinds/kit/check-payloads.ts";
import type { Origin, ReadingBuilder } from "../../reading-builder.ts";
import { formatSeconds } from "../frequency.ts";
import { Row } from "../row.ts";
import type { Translated } from "./kuma-http.ts";

export function translatePing(row: Row): Translated {
  return {
    payload: pingPayload({
      host: row.text("hostname") ?? "",
      pings: row.integer("ping_count") ?? 1,
    }),
  };
}

export function translatePort(
  builder: ReadingBuilder,
  origin: Origin,
  row: Row,
  timeoutMs: number,
): Translated {
  const alert = row.text("expected_tls_alert");
  if (alert !== null && alert !== "none") {
    builder.change(origin, "expected TLS alert", {
      from: alert,
      to: "none",
      why: "A TCP check only connects.",
    });
  }
  const host = row.text("hostname") ?? "";
  return { payload: tcpPayload({ host, port: row.integer("port") ?? 0, timeoutMs }) };
}

const answerComparisons = {
  equals: "EQUALS",
  not_equals: "NOT_EQUALS",
  contains: "CONTAINS",
  not_contains: "NOT_CONTAINS",
} as const;

/**
 * Converts conditions on `record` to assertions. Conditions that are joined with "or" are not
 * supported.
 */
function readConditions(
  builder: ReadingBuilder,
  origin: Origin,
  row: Row,
): readonly PayloadAssertion[] {
  const conditions = row.json("conditions");
  if (!Array.isArray(conditions) || conditions.length === 0) return [];
  const assertions = conditions.map((entry, index): PayloadAssertion | null => {
    const condition = new Row(entry);
    const operator = condition.text("operator") ?? "";
    const isPlain =
      condition.text("type") === "expression" && condition.text("variable") === "record";
    const isOr = index > 0 && condition.text("andOr") === "or";
    if (!isPlain || isOr || !Object.hasOwn(answerComparisons, operator)) return null;
    const comparison = answerComparisons[operator as keyof typeof answerComparisons];
    // The answer text contains all records, so "equals" becomes "contains".
    const found = comparison === "EQUALS" ? "CONTAINS" : comparison;
    return expect.answer(
      comparison === "NOT_EQUALS" ? "NOT_CONTAINS" : found,
      condition.text("value") ?? "",
    );
  });
  const known = assertions.filter((assertion) => assertion !== null);
  if (known.length === assertions.length) return known;
  builder.change(origin, "conditions", {
    from: `${assertions.length} conditions`,
    to: "none",
    why: "They cannot be expressed as assertions; add them by hand.",
  });
  return [];
}

export function translateDns(
  builder: ReadingBuilder,
  origin: Origin,
  row: Row,
  timeoutMs: number,
): Translated {
  const record = row.text("dns_resolve_type") ?? "A";
  if (!dnsRecordTypes.includes(record)) {
    builder.leaveOut(origin, `Checks do not query ${record} records.`);
    return null;
  }
  const servers = (row.text("dns_resolve_server") ?? "").split(",").map((name) => name.trim());
  const [server = ""] = servers;
  if (servers.length > 1) {
    builder.change(origin, "DNS servers", {
      from: servers.join(", "),
      to: server,
      why: "A check queries one server.",
    });
  }
  const payload = dnsPayload({
    name: row.text("hostname") ?? "",
    record,
    server: server === "" ? null : server,
    port: row.integer("port"),
    timeoutMs,
    assertions: readConditions(builder, origin, row),
  });
  return { payload };
}

const minGraceSeconds = 60;

export function translatePush(builder: ReadingBuilder, origin: Origin, row: Row): Translated {
  const interval = row.integer("interval") ?? 60;
  const period = Math.min(Math.max(interval, pingPeriods.minSeconds), pingPeriods.maxSeconds);
  if (period !== interval) {
    builder.change(origin, "interval", {
      from: formatSeconds(interval),
      to: formatSeconds(period),
      why: "The shortest period of a heartbeat check.",
    });
  }
  const grace = Math.max(interval * (row.integer("maxretries") ?? 0), minGraceSeconds);
  const graceSeconds = Math.min(grace, pingPeriods.maxSeconds);
  return { payload: heartbeatPayload({ periodSeconds: period, graceSeconds }) };
}

const defaultPorts: Readonly<Record<string, number>> = {
  mysql: 3306,
  postgres: 5432,
  sqlserver: 1433,
  mongodb: 27017,
  redis: 6379,
  smtp: 25,
  mqtt: 1883,
  rabbitmq: 15672,
  "kafka-producer": 9092,
  "websocket-upgrade": 443,
  oracledb: 1521,
};

const schemePorts: Readonly<Record<string, number>> = {
  "http:": 80,
  "ws:": 80,
  "https:": 443,
  "wss:": 443,
};

/** Parses a URL, or a host and port without a scheme. */
export function parseHostPort(text: string, fallback: number | undefined): [string, number] | null {
  const url = URL.parse(text.includes("://") ? text : `tcp://${text}`);
  if (url === null || url.hostname === "") return null;
  const port = url.port === "" ? (schemePorts[url.protocol] ?? fallback) : Number(url.port);
  return port === undefined ? null : [url.hostname.replace(/^\[(.*)\]$/, "$1"), port];
}

function findHostPort(row: Row, type: string): [string, number] | null {
  const fallback = defaultPorts[type];
  const host = row.text("hostname");
  const port = row.integer("port") ?? fallback;
  if (host !== null && port !== undefined && !host.includes("/")) return [host, port];
  const listed = [row.json("rabbitmq_nodes"), row.json("kafka_producer_brokers")]
    .filter((list) => Array.isArray(list))
    .flat();
  const texts = [row.text("database_connection_string"), row.text("url"), ...listed.map(String)];
  for (const text of texts) {
    const found = text === null ? null : parseHostPort(text, fallback);
    if (found !== null) return found;
  }
  return null;
}

/**
 * Monitor types that are not translated into a TCP connection. Most of these types use UDP or
 * examine the local machine, so a TCP connection would prove nothing.
 */
const unreachable = new Set([
  ...["docker", "snmp", "radius", "gamedig", "steam", "globalping", "pm2", "system-service"],
  ...["ntp", "sip-options"],
]);

/** Translates any other monitor type into a TCP connection, if its host and port are known. */
export function translateOther(
  builder: ReadingBuilder,
  origin: Origin,
  row: Row,
  timeoutMs: number,
): Translated {
  const type = row.text("type") ?? "unknown";
  const found = unreachable.has(type) ? null : findHostPort(row, type);
  if (found === null) {
    builder.leaveOut(origin, `There is no check for monitors of type ${type}.`);
    return null;
  }
  const [host, port] = found;
  builder.change(origin, "type", {
    from: type,
    to: `TCP connection to port ${port}`,
    why: "There is no check of this type. The check only connects.",
  });
  return { payload: tcpPayload({ host, port, timeoutMs }) };
}
