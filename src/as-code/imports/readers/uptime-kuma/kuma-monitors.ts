import { expect, grpcMethodPayload, tcpPayload } from "../../../../kinds/kit/check-payloads.ts";
import { reference } from "../../reading.ts";
import {
  cutName,
  findResourceFault,
  type Origin,
  type ReadingBuilder,
} from "../../reading-builder.ts";
import {
  formatSeconds,
  maxFailedRuns,
  toAlertSettings,
  toFailedRuns,
  toFrequency,
  toReminders,
} from "../frequency.ts";
import type { Row } from "../row.ts";
import type { KumaData } from "./kuma-data.ts";
import { type Translated, translateHttp } from "./kuma-http.ts";
import {
  parseHostPort,
  translateDns,
  translateOther,
  translatePing,
  translatePort,
  translatePush,
} from "./kuma-targets.ts";

/**
 * Parses a gRPC target in the formats that gRPC clients accept. Returns `null` for sockets and
 * other targets without a host.
 */
function parseTarget(text: string): [string, number] | null {
  if (/^(?:unix|unix-abstract|vsock|xds):/.test(text)) return null;
  return parseHostPort(text.replace(/^(?:dns:(?:\/\/[^/]*\/)?|ipv[46]:)/, ""), 443);
}

/** Maximum length of a `.proto` file that a check accepts, in characters. */
const maxScanned = 50_000;

/** Matches comments and string literals, which are removed before searching the code. */
const notCode = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g;

/**
 * Returns the full name of a gRPC method as declared in the `.proto` file. In a monitor, the
 * package of the service may be missing, and the method may start with a lower-case letter.
 */
function findMethod(proto: string, service: string, method: string): string {
  const code = proto.slice(0, maxScanned).replaceAll(notCode, " ");
  const name = service.slice(service.lastIndexOf(".") + 1);
  const [, packageName] = /\bpackage\s+([\w.]+)\s*;/.exec(code) ?? [];
  const [, body = ""] = code.split(new RegExp(`\\bservice\\s+${RegExp.escape(name)}\\s*\\{`));
  const toSmall = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
  const methods = [...body.matchAll(/\brpc\s+(\w+)/g)].map(([, found = ""]) => found);
  const full = methods.find((one) => one === method || toSmall(one) === method) ?? method;
  return `${packageName === undefined ? name : `${packageName}.${name}`}/${full}`;
}

/** Reads gRPC metadata, which Uptime Kuma stores as a JSON object. */
function readMetadata(row: Row) {
  const given = row.json("grpc_metadata");
  const entries = typeof given === "object" && given !== null ? Object.entries(given) : [];
  return entries.map(([key, value]) => ({ key, value: String(value) }));
}

/**
 * Translates a gRPC monitor. The monitor contains a `.proto` file and the name of a unary method.
 * Uptime Kuma calls the method and searches for a keyword in the response, formatted as JSON.
 */
function translateGrpc(
  builder: ReadingBuilder,
  origin: Origin,
  row: Row,
  timeoutMs: number,
): Translated {
  const found = parseTarget(row.text("grpc_url") ?? "");
  if (found === null) {
    builder.leaveOut(origin, "It has no host and port to call.");
    return null;
  }
  const [host, port] = found;
  const proto = row.text("grpc_protobuf") ?? "";
  const keyword = row.text("keyword");
  const search = row.flag("invert_keyword") ? expect.bodyLacks : expect.bodyContains;
  const service = row.text("grpc_service_name") ?? "";
  const call = {
    ...{ host, port, timeoutMs, isSecure: row.flag("grpc_enable_tls"), proto },
    method: findMethod(proto, service, row.text("grpc_method") ?? ""),
    message: row.text("grpc_body") ?? "",
    assertions: keyword === null ? [] : [search(keyword)],
  };
  const findFault = (payload: object) => {
    const body = { ...payload, name: origin.name } as Record<string, unknown>;
    const resource = { type: "check" as const, logicalId: origin.origin, payload: body };
    return findResourceFault(resource, { allowPrivate: true });
  };
  const fault = findFault(grpcMethodPayload(call));
  if (fault !== null) {
    const why = `The method cannot be called. ${fault} The check only connects.`;
    builder.change(origin, "type", {
      ...{ from: "grpc-keyword", to: `TCP connection to port ${port}`, why },
    });
    return { payload: tcpPayload({ host, port, timeoutMs }) };
  }
  const metadata = readMetadata(row);
  const payload = grpcMethodPayload({ ...call, metadata });
  const isSent = findFault(payload) === null;
  if (metadata.length > 0) {
    builder.change(origin, "metadata", {
      from: "stored, but not sent",
      to: isSent ? "sent with each call" : "none",
      why: isSent
        ? "Uptime Kuma does not send metadata."
        : "It has a name or value that a call cannot have.",
    });
  }
  return { payload: isSent ? payload : grpcMethodPayload(call) };
}

/** Maximum depth of nested groups. A longer chain must be a cycle. */
const maxDepth = 50;
const maxRetries = 10;
const maxRetrySeconds = 600;

export const monitorOrigin = (id: number) => `kuma/${id}`;

interface Monitor {
  readonly id: number;
  readonly row: Row;
  readonly origin: Origin;
  /** Names of the groups that contain the monitor, outermost first. */
  readonly path: readonly string[];
  readonly parentId: number | null;
  readonly isActive: boolean;
}

function listMonitors(rows: readonly Row[]): Monitor[] {
  const byId = new Map(
    rows.flatMap((row) => {
      const id = row.integer("id");
      return id === null ? [] : [[id, row] as const];
    }),
  );
  return [...byId].map(([id, row]) => {
    const path: string[] = [];
    let isActive = row.flag("active", true);
    let parent = byId.get(row.integer("parent") ?? -1);
    for (let depth = 0; parent !== undefined && depth < maxDepth; depth += 1) {
      path.unshift(cutName(parent.text("name") ?? "Group"));
      isActive &&= parent.flag("active", true);
      parent = byId.get(parent.integer("parent") ?? -1);
    }
    const origin = { origin: monitorOrigin(id), name: row.text("name") ?? `Monitor ${id}` };
    return { id, row, origin, path, parentId: row.integer("parent"), isActive };
  });
}

/** Adds a check group for each group that contains monitors and not only other groups. */
function addGroups(builder: ReadingBuilder, monitors: readonly Monitor[]): void {
  const isGroup = ({ row }: Monitor) => row.text("type") === "group";
  const used = new Set(monitors.filter((one) => !isGroup(one)).map(({ parentId }) => parentId));
  for (const { id, origin, path, isActive } of monitors.filter(isGroup)) {
    if (!used.has(id)) {
      builder.leaveOut(origin, "The group itself contains no monitors.");
      continue;
    }
    const name = [...path, origin.name].join(" / ");
    const payload = { name: cutName(name), activated: isActive };
    builder.add({ type: "check-group", logicalId: origin.origin, payload }, name);
    if (path.length === 0) continue;
    const why = "Groups are not nested here; the name contains the outer groups.";
    builder.change(origin, "name", { from: origin.name, to: name, why });
  }
}

/**
 * Converts retries to a retry strategy. If the retries are at the normal interval, too many or too
 * slow, they are converted to a number of failing runs before an alert instead.
 */
function readRetries(builder: ReadingBuilder, origin: Origin, row: Row) {
  const retries = Math.max(row.integer("maxretries") ?? 0, 0);
  const interval = row.integer("interval") ?? 60;
  const retryInterval = row.integer("retry_interval") || interval;
  const fits = retries <= maxRetries && retries * retryInterval <= maxRetrySeconds;
  if (retries === 0 || (retryInterval === interval && retries < maxFailedRuns) || !fits) {
    if (retries > 0 && retryInterval !== interval) {
      const why = "Retries must start within 10 minutes; the alert waits for failing runs instead.";
      const to = formatSeconds(interval);
      builder.change(origin, "retry interval", { from: formatSeconds(retryInterval), to, why });
    }
    return { failedRuns: toFailedRuns(builder, origin, retries + 1), retryStrategy: null };
  }
  const strategy = { type: "FIXED", maxRetries: retries, baseBackoffSeconds: retryInterval };
  const limits = { maxDurationSeconds: maxRetrySeconds, sameRegion: true };
  return { failedRuns: 1, retryStrategy: { ...strategy, ...limits } };
}

function readCertificateDays(data: KumaData, row: Row): number | null | undefined {
  if (!/^https:/i.test(row.text("url") ?? "")) return undefined;
  if (!row.flag("expiry_notification", true)) return null;
  const days = data.settings.get("tlsExpiryNotifyDays");
  const numbers = Array.isArray(days) ? days.map(Number).filter((day) => day > 0) : [];
  return numbers.length === 0 ? 21 : Math.max(...numbers);
}

/** Returns the timeout of a monitor. The value 0 means 80 percent of the interval. */
function readTimeoutMs(row: Row): number {
  const seconds = row.number("timeout") ?? 0;
  return (seconds > 0 ? seconds : (row.integer("interval") ?? 60) * 0.8) * 1_000;
}

function translate(builder: ReadingBuilder, { origin, row }: Monitor): Translated {
  const timeoutMs = readTimeoutMs(row);
  switch (row.text("type")) {
    case "http":
    case "keyword":
    case "json-query":
      return translateHttp(builder, origin, row, timeoutMs);
    case "real-browser": {
      const why = "The check only requests the page. A browser check needs a script.";
      builder.change(origin, "type", { from: "real-browser", to: "request of the page", why });
      return translateHttp(builder, origin, row, timeoutMs);
    }
    case "ping":
    case "tailscale-ping":
      return translatePing(row);
    case "port":
      return translatePort(builder, origin, row, timeoutMs);
    case "dns":
      return translateDns(builder, origin, row, timeoutMs);
    case "grpc-keyword":
      return translateGrpc(builder, origin, row, timeoutMs);
    case "push":
      return translatePush(builder, origin, row);
    default:
      return translateOther(builder, origin, row, timeoutMs);
  }
}

function reportUnused(builder: ReadingBuilder, { origin, row }: Monitor): void {
  if (row.integer("proxy_id") !== null) {
    const why = "Checks connect directly. Use a private location where the proxy is needed.";
    builder.change(origin, "proxy", { from: `proxy ${row.integer("proxy_id")}`, to: "none", why });
  }
  if (row.flag("domain_expiry_notification")) {
    const why = "There are no alerts for expiring domain names.";
    builder.change(origin, "domain expiry alert", { from: "on", to: "none", why });
  }
  if (row.text("description") !== null) {
    builder.note("Descriptions of monitors are not imported: checks have none.");
  }
}

function addCheck(
  builder: ReadingBuilder,
  data: KumaData,
  monitor: Monitor,
  tags: readonly string[],
): void {
  const { origin, row, isActive, parentId, id } = monitor;
  const translated = translate(builder, monitor);
  if (translated === null) return;
  reportUnused(builder, monitor);
  const isPush = row.text("type") === "push";
  const interval = row.integer("interval") ?? 60;
  const { failedRuns, retryStrategy } = isPush
    ? { failedRuns: 1, retryStrategy: null }
    : readRetries(builder, origin, row);
  const resend = Math.max(row.integer("resend_interval") ?? 0, 0);
  const certificateDays = readCertificateDays(data, row);
  const group = monitorOrigin(parentId ?? -1);
  builder.addCheck(origin, translated.payload, {
    activated: isActive && translated.isInactive !== true,
    tags: [...new Set(tags)],
    groupId: parentId !== null && builder.has(group) ? reference(group) : null,
    ...(!isPush && {
      ...toFrequency(builder, origin, interval),
      shouldFail: row.flag("upside_down"),
      retryStrategy,
    }),
    ...toAlertSettings({
      failedRuns,
      reminders: toReminders(builder, origin, resend * interval),
      ...(certificateDays !== undefined && { certificateDays }),
    }),
  });
  const token = row.text("push_token");
  if (isPush && token !== null) {
    builder.addAlias({ check: origin.origin, form: "uptime-kuma", key: token, token: null });
  }
  const history = data.history.get(id);
  if (history !== undefined) builder.addHistory({ check: origin.origin, ...history });
}

function mapTags(rows: readonly Row[]): Map<number, string[]> {
  const tags = new Map<number, string[]>();
  for (const row of rows) {
    const id = row.integer("monitor_id");
    const name = row.text("name");
    if (id === null || name === null) continue;
    const value = row.text("value");
    const tag = cutName(value === null ? name : `${name}:${value}`);
    tags.set(id, [...(tags.get(id) ?? []), tag]);
  }
  return tags;
}

export function addMonitors(builder: ReadingBuilder, data: KumaData): void {
  const monitors = listMonitors(data.monitors);
  addGroups(builder, monitors);
  const tags = mapTags(data.monitorTags);
  for (const monitor of monitors) {
    const type = monitor.row.text("type");
    if (type === "group") continue;
    if (type === "manual") {
      const payload = { name: cutName(monitor.origin.name) };
      const logicalId = monitor.origin.origin;
      builder.add({ type: "status-page-service", logicalId, payload }, monitor.origin.name);
    } else addCheck(builder, data, monitor, tags.get(monitor.id) ?? []);
  }
}
