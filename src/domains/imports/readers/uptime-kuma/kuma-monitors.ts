import { reference } from "../../reading.ts";
import type { Origin, ReadingBuilder } from "../../reading-builder.ts";
import { cutName } from "../../reading-builder.ts";
import type { Row } from "../row.ts";
import {
  formatSeconds,
  maxFailedRuns,
  toAlertSettings,
  toFailedRuns,
  toFrequency,
  toReminders,
} from "../schedule.ts";
import type { KumaData } from "./kuma-data.ts";
import { translateGrpc } from "./kuma-grpc.ts";
import { type Translated, translateHttp } from "./kuma-http.ts";
import {
  translateDns,
  translateOther,
  translatePing,
  translatePort,
  translatePush,
} from "./kuma-targets.ts";

/** Longest chain of groups within groups; a longer one is a cycle. */
const maxDepth = 50;
const maxRetries = 10;
const maxRetrySeconds = 600;

export const monitorOrigin = (id: number) => `kuma/${id}`;

interface Monitor {
  readonly id: number;
  readonly row: Row;
  readonly origin: Origin;
  /** Names of its groups, outermost first. */
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

/** Groups that contain monitors become check groups; one that contains only groups does not. */
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

/** Each retry of Uptime Kuma is a separate beat, so retries are failing runs before an alert. */
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

/** A timeout of 0 means 80 percent of the interval. */
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
