import { heartbeatPayload, pingPeriods } from "../../../../kinds/kit/check-payloads.ts";
import { type ImportFile, type Reading, reference, UnreadableFile } from "../../reading.ts";
import { cutName, type Origin, ReadingBuilder, type ReadOptions } from "../../reading-builder.ts";
import { parseYaml, readTextFile } from "../file-text.ts";
import {
  type AlertPlan,
  parseSeconds,
  toAlertSettings,
  toFailedRuns,
  toFrequency,
  toReminders,
} from "../frequency.ts";
import { Row, toLogicalPart } from "../row.ts";
import { translateEndpoint } from "./gatus-endpoints.ts";

interface Channel {
  readonly type: string;
  readonly config: Readonly<Record<string, unknown>>;
}

type Translate = (provider: Row) => Channel[];

const byUrl =
  (type: string): Translate =>
  (provider) => [{ type, config: { url: provider.text("webhook-url") ?? "" } }];

const text = (provider: Row, key: string) => provider.text(key) ?? "";

const translators: Readonly<Record<string, Translate>> = {
  slack: byUrl("SLACK"),
  discord: byUrl("DISCORD"),
  teams: byUrl("MSTEAMS"),
  "teams-workflows": byUrl("MSTEAMS"),
  mattermost: byUrl("MATTERMOST"),
  googlechat: byUrl("GOOGLECHAT"),
  email: (provider) =>
    text(provider, "to")
      .split(",")
      .flatMap((address) => (address.trim() === "" ? [] : [address.trim()]))
      .map((address) => ({ type: "EMAIL", config: { address } })),
  telegram: (provider) => [
    {
      type: "TELEGRAM",
      config: {
        botToken: text(provider, "token"),
        chatId: text(provider, "id"),
        baseUrl: provider.text("api-url"),
      },
    },
  ],
  pagerduty: (provider) => [
    { type: "PAGERDUTY", config: { serviceKey: text(provider, "integration-key") } },
  ],
  opsgenie: (provider) => [
    {
      type: "OPSGENIE",
      config: {
        name: "Gatus",
        apiKey: text(provider, "api-key"),
        region: "US",
        priority: provider.text("priority") ?? "P1",
      },
    },
  ],
  ntfy: (provider) => [
    {
      type: "NTFY",
      config: {
        url: provider.text("url") ?? "https://ntfy.sh",
        topic: text(provider, "topic"),
        token: provider.text("token"),
        priority: provider.integer("priority"),
      },
    },
  ],
  gotify: (provider) => [
    {
      type: "GOTIFY",
      config: {
        url: text(provider, "server-url"),
        token: text(provider, "token"),
        priority: provider.integer("priority"),
      },
    },
  ],
  matrix: (provider) => [
    {
      type: "MATRIX",
      config: {
        url: provider.text("server-url") ?? "https://matrix-client.matrix.org",
        roomId: text(provider, "internal-room-id"),
        accessToken: text(provider, "access-token"),
      },
    },
  ],
  pushover: (provider) => [
    {
      type: "PUSHOVER",
      config: {
        token: text(provider, "application-token"),
        userKey: text(provider, "user-key"),
        device: provider.text("device"),
        priority: provider.integer("priority"),
      },
    },
  ],
};

/** Adds the alerting providers as channels, and returns the default alert of each provider. */
function addProviders(builder: ReadingBuilder, alerting: Row): Map<string, Row> {
  const defaults = new Map<string, Row>();
  for (const name of alerting.keys()) {
    const provider = alerting.row(name);
    const alert = provider.row("default-alert");
    defaults.set(name, alert);
    const origin = { origin: `gatus/provider-${name}`, name };
    const translate = Object.hasOwn(translators, name) ? translators[name] : undefined;
    if (translate === undefined) {
      builder.leaveOut(origin, `There is no channel for alerts of type ${name}.`);
      continue;
    }
    if (provider.list("overrides").length > 0) {
      const why = "A channel has one destination; create one for each group.";
      builder.change(origin, "overrides", { from: "set", to: "none", why });
    }
    const channels = translate(provider);
    if (channels.length > 1)
      builder.note("Only the first address of an email provider is subscribed.");
    for (const [index, channel] of channels.entries()) {
      const logicalId = index === 0 ? origin.origin : `${origin.origin}-${index + 1}`;
      const options = { sendRecovery: alert.flag("send-on-resolved"), sslExpiry: true };
      builder.add({ type: "alert-channel", logicalId, payload: { ...channel, ...options } }, name);
    }
  }
  return defaults;
}

const toKeyPart = (text: string) => text.toLowerCase().replaceAll(/[ /_,.#+&]/g, "-");

/** Returns the key that identifies an endpoint in the URLs of Gatus. */
const toKey = (row: Row) =>
  `${toKeyPart(row.text("group") ?? "")}_${toKeyPart(row.text("name") ?? "")}`;

const toOrigin = (row: Row): Origin => ({
  origin: `gatus/${toLogicalPart(toKey(row))}`,
  name: row.text("name") ?? "Endpoint",
});

/** Reports the environment variables in the configuration, because their values are unknown. */
function noteVariables(builder: ReadingBuilder, text: string): void {
  const names = new Set<string>();
  for (const [, braced, plain] of text.matchAll(/(?<!\$)\$(?:\{(\w+)\}|([A-Za-z_]\w*))/g)) {
    names.add(braced ?? plain ?? "");
  }
  if (names.size === 0) return;
  const list = [...names].slice(0, 50).join(", ");
  builder.note(`Environment variables are not known and stay as text: ${list}.`);
}

/** Merges configuration files. Lists are concatenated. A scalar must not be in several files. */
function merge(target: Record<string, unknown>, source: Row, path: string): void {
  for (const key of source.keys()) {
    const value = source.get(key);
    const known = target[key];
    if (known === undefined) target[key] = value;
    else if (Array.isArray(known) && Array.isArray(value)) target[key] = [...known, ...value];
    else if (isRecord(known) && isRecord(value)) {
      const copy = { ...known };
      merge(copy, new Row(value), `${path}${key}.`);
      target[key] = copy;
    } else throw new UnreadableFile(`${path}${key} is given in more than one file.`);
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function addGroup(builder: ReadingBuilder, row: Row) {
  const group = row.text("group");
  if (group === null) return null;
  const logicalId = `gatus/group-${toLogicalPart(toKeyPart(group))}`;
  if (!builder.has(logicalId)) {
    builder.add({ type: "check-group", logicalId, payload: { name: cutName(group) } }, group);
  }
  return reference(logicalId);
}

/** Reads the alerts of an endpoint. If the thresholds differ, the lowest applies. */
function readAlerts(
  builder: ReadingBuilder,
  origin: Origin,
  row: Row,
  defaults: ReadonlyMap<string, Row>,
): { readonly plan: AlertPlan; readonly providers: readonly string[] } {
  const alerts = row.list("alerts").map((alert) => new Row(alert));
  const active = alerts.filter((alert) => alert.flag("enabled", true));
  const providers = active.flatMap((alert) => alert.text("type") ?? []);
  const read = (alert: Row, key: string) =>
    alert.get(key) ?? defaults.get(alert.text("type") ?? "")?.get(key);
  const thresholds = active.map((alert) => Number(read(alert, "failure-threshold") ?? 3));
  const lowest = Math.min(...thresholds.filter(Number.isFinite));
  const [reminder] = active.map((alert) => parseSeconds(read(alert, "minimum-reminder-interval")));
  const plan = {
    failedRuns: Number.isFinite(lowest) ? toFailedRuns(builder, origin, lowest) : 1,
    reminders: toReminders(builder, origin, reminder ?? 0),
  };
  return { plan, providers };
}

interface Scene {
  readonly builder: ReadingBuilder;
  readonly defaults: ReadonlyMap<string, Row>;
}

function addEndpoint({ builder, defaults }: Scene, row: Row): void {
  const origin = toOrigin(row);
  const translated = translateEndpoint(builder, origin, row);
  if (translated === null) return;
  const { plan, providers } = readAlerts(builder, origin, row, defaults);
  const { certificateDays } = translated;
  const labels = row.row("extra-labels");
  builder.addCheck(origin, translated.payload, {
    activated: row.flag("enabled", true),
    tags: labels.keys().map((key) => cutName(`${key}:${labels.text(key) ?? ""}`)),
    groupId: addGroup(builder, row),
    ...toFrequency(builder, origin, parseSeconds(row.get("interval")) ?? 60),
    ...toAlertSettings({ ...plan, ...(certificateDays !== undefined && { certificateDays }) }),
  });
  for (const provider of providers) builder.subscribe(`gatus/provider-${provider}`, origin.origin);
}

function addExternal({ builder, defaults }: Scene, row: Row): void {
  const origin = toOrigin(row);
  const interval = parseSeconds(row.row("heartbeat").get("interval")) ?? 0;
  const period = interval > 0 ? Math.max(interval, pingPeriods.minSeconds) : 86_400;
  if (interval === 0) {
    const why = "A heartbeat check expects pings; set the period of the job.";
    builder.change(origin, "heartbeat interval", { from: "none", to: "1 day", why });
  }
  const { plan, providers } = readAlerts(builder, origin, row, defaults);
  const payload = heartbeatPayload({ periodSeconds: period, graceSeconds: 60 });
  builder.addCheck(origin, payload, {
    activated: row.flag("enabled", true),
    groupId: addGroup(builder, row),
    ...toAlertSettings({ ...plan, failedRuns: 1 }),
  });
  const token = row.text("token");
  if (token !== null) {
    builder.addAlias({ check: origin.origin, form: "gatus", key: toKey(row), token });
  }
  for (const provider of providers) builder.subscribe(`gatus/provider-${provider}`, origin.origin);
}

/** Reads the file `config.yaml` of Gatus, or all configuration files of a folder. */
export function readGatus(files: readonly ImportFile[], options: ReadOptions): Reading {
  const builder = new ReadingBuilder(options);
  const merged: Record<string, unknown> = {};
  for (const file of files) {
    const text = readTextFile(file);
    noteVariables(builder, text);
    merge(merged, new Row(parseYaml(text, file.name)), "");
  }
  const config = new Row(merged);
  const endpoints = config.list("endpoints").map((one) => new Row(one));
  const external = config.list("external-endpoints").map((one) => new Row(one));
  if (endpoints.length + external.length === 0) {
    throw new UnreadableFile("This is not a configuration of Gatus: it has no endpoints.");
  }
  const defaults = addProviders(builder, config.row("alerting"));
  const scene = { builder, defaults };
  for (const row of endpoints) addEndpoint(scene, row);
  for (const row of external) addExternal(scene, row);
  for (const one of config.list("suites")) {
    const name = new Row(one).text("name") ?? "Suite";
    builder.leaveOut(
      { origin: `gatus/suite-${toLogicalPart(name)}`, name },
      "There are no checks with several steps.",
    );
  }
  for (const key of ["maintenance", "announcements", "connectivity", "remote"]) {
    if (config.get(key) !== undefined) builder.note(`The section ${key} is not imported.`);
  }
  return builder.finish();
}
