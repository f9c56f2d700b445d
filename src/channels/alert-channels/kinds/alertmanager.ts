import { Type } from "typebox";
import { Described, Matching, OrNull } from "../../../platform/http/schema.ts";
import { decideOutcome, describeHost, joinUrl, postJson } from "../../../platform/http-delivery.ts";
import { toShortLine } from "../../../platform/text/clip.ts";
import type { AlertMessage } from "../alert-text.ts";
import {
  type AlertTone,
  decideTone,
  findOpenUrl,
  listFacts,
  writeReason,
  writeTitle,
} from "../alert-text.ts";
import { type ChannelKind, HttpUrl } from "../channel-kind.ts";

const labelPattern = "[A-Za-z_][A-Za-z0-9_]*=[^,=]{1,200}";

const ConfigSchema = Type.Object({
  url: Described(HttpUrl, "The address of Alertmanager.", "https://alertmanager.example.com"),
  labels: Described(
    Type.Optional(
      OrNull(
        Matching(
          `^(?:\\s*${labelPattern}(?:,\\s*${labelPattern})*)?$`,
          "must be labels such as team=shop, separated by commas",
          { maxLength: 1_000 },
        ),
      ),
    ),
    "Labels added to every alert, for routes and silences, separated by commas; `null` for none.",
    "team=shop, env=production",
  ),
  username: Described(
    Type.Optional(OrNull(Type.String({ maxLength: 255 }))),
    "User name for basic authentication; `null` to send the password as a bearer token.",
  ),
  password: Described(
    Type.Optional(OrNull(Type.String({ maxLength: 1_024 }))),
    "The password or bearer token; `null` if none is required.",
  ),
});
type Config = Type.Static<typeof ConfigSchema>;

/** Statuses of permanent failures: no Alertmanager at this address, or it rejects the alerts. */
const permanentStatuses = new Set([400, 401, 403, 404, 405, 410]);

/**
 * Time after which Alertmanager resolves an alert that has not recovered. Without an explicit end,
 * Alertmanager would apply its `resolve_timeout`, and open alerts would have to be sent again every
 * few minutes.
 */
const lifetimeMs = 30 * 86_400_000;
const testLifetimeMs = 5 * 60_000;
const maxAnnotationLength = 1_000;

export const alertmanagerKind: ChannelKind<Config> = {
  type: "ALERTMANAGER",
  ConfigSchema,
  secretFields: ["password"],
  describeRecipient: (config) => `Alertmanager at ${describeHost(config.url)}`,
  send: async (message, config, tools) => {
    const result = await postJson(message, tools, {
      url: joinUrl(config.url, "/api/v2/alerts"),
      headers: writeAuthorization(config),
      body: listAlerts(message, parseLabels(config.labels), tools.now),
    });
    return decideOutcome(result, { provider: "Alertmanager", permanentStatuses, now: tools.now });
  },
};

function writeAuthorization({ username, password }: Config): Record<string, string> {
  if (!password) return {};
  if (!username) return { authorization: `Bearer ${password}` };
  const pair = Buffer.from(`${username}:${password}`, "utf8").toString("base64");
  return { authorization: `Basic ${pair}` };
}

function parseLabels(text: string | null | undefined): Record<string, string> {
  const pairs = (text ?? "").split(",").flatMap((part) => {
    const [name = "", value = ""] = part.split("=");
    return name.trim() === "" || value.trim() === "" ? [] : [[name.trim(), value.trim()] as const];
  });
  return Object.fromEntries(pairs);
}

interface PostedAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly generatorURL?: string;
}

type Severity = "critical" | "warning" | "info";

const severities: Readonly<Record<AlertTone, Severity>> = {
  failing: "critical",
  degraded: "warning",
  recovered: "info",
  neutral: "info",
};

function nameAlert({ certificate }: AlertMessage, severity: Severity): string {
  if (certificate !== undefined) return "VedetteCertificateExpires";
  if (severity === "info") return "VedetteTest";
  return severity === "critical" ? "VedetteCheckFailing" : "VedetteCheckDegraded";
}

/**
 * Lists the alerts of a message or a digest. If a digest contains several messages about a check,
 * the newest message decides the state of the check's alerts.
 */
function listAlerts(
  message: AlertMessage,
  extra: Readonly<Record<string, string>>,
  now: Date,
): PostedAlert[] {
  const byLabels = new Map<string, PostedAlert>();
  for (const one of message.digest ?? [message]) {
    for (const alert of listAlertsOf(one, extra, now)) {
      byLabels.set(JSON.stringify(alert.labels), alert);
    }
  }
  return [...byLabels.values()];
}

/**
 * Lists the alerts that a message starts and ends. Alertmanager identifies an alert by its labels,
 * so a value that can change while the alert is open, such as the check's name, is not a label. The
 * severity is a label, so failing and degraded are separate alerts. A message about a check's state
 * therefore ends the alerts of its other states.
 */
function listAlertsOf(
  message: AlertMessage,
  extra: Readonly<Record<string, string>>,
  now: Date,
): PostedAlert[] {
  const tone = decideTone(message.kind);
  const current = severities[tone];
  const isLasting = message.certificate === undefined && tone !== "neutral";
  const relevant: readonly Severity[] = isLasting ? ["critical", "warning"] : [current];
  const startMs = Math.min(Date.parse(message.startedAt) || now.getTime(), now.getTime());
  const openUrl = findOpenUrl(message);
  return relevant.map((severity) => {
    const restMs = tone === "neutral" ? testLifetimeMs : lifetimeMs;
    const endMs = severity === current ? now.getTime() + restMs : now.getTime();
    return {
      labels: {
        ...extra,
        alertname: nameAlert(message, severity),
        check_id: message.checkId,
        check_type: message.checkType,
        severity,
      },
      annotations: writeAnnotations(message),
      startsAt: new Date(startMs).toISOString(),
      endsAt: new Date(endMs).toISOString(),
      ...(openUrl === null ? {} : { generatorURL: openUrl }),
    };
  });
}

/** Converts a label to an annotation name, which must not start with a digit. */
const nameAnnotation = (label: string) =>
  label
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replace(/^(?=\d|$)/, "_");

function writeAnnotations(message: AlertMessage): Record<string, string> {
  const facts = listFacts(message).map(({ label, value }) => [
    nameAnnotation(label),
    toShortLine(value, maxAnnotationLength),
  ]);
  return {
    ...Object.fromEntries(facts),
    summary: writeTitle(message),
    description: writeReason(message, maxAnnotationLength),
    ...(message.acknowledgeUrl === null ? {} : { acknowledge_url: message.acknowledgeUrl }),
  };
}
