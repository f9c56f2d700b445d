import { Type } from "typebox";
import { Described, Matching, OrNull } from "../../../platform/http/schema.ts";
import { decideOutcome, joinUrl, postJson } from "../../../platform/http-delivery.ts";
import { toShortLine } from "../../../platform/text/clip.ts";
import { escapeMarkdown } from "../../../platform/text/escaping.ts";
import type { AlertMessage } from "../alert-text.ts";
import {
  type AlertTone,
  decideTone,
  findOpenUrl,
  listFacts,
  listLinks,
  writeIncidentKey,
  writePlainText,
  writeTitle,
} from "../alert-text.ts";
import { type ChannelKind, HttpUrl, Label, Secret } from "../channel-kind.ts";

const ConfigSchema = Type.Object({
  name: Described(Label, "Display name.", "Team"),
  sourceId: Matching("^[A-Za-z0-9_-]{1,64}$", "must be the last part of the alert source's URL", {
    description: "Id of the HTTP alert source: the last part of its URL.",
    examples: ["01GW2G3V0S59R238FAHPDS1R66"],
  }),
  token: Described(Secret, "The token of the alert source.", "ec7a1fb1f0"),
  baseUrl: Described(
    Type.Optional(OrNull(HttpUrl)),
    "Alternative URL of the API, for a proxy; `null` for the default.",
  ),
});
type Config = Type.Static<typeof ConfigSchema>;

/** Statuses of permanent failures: the source was deleted, or it rejects the token or event. */
const permanentStatuses = new Set([400, 401, 403, 404, 410, 422]);
const maxDescriptionLength = 10_000;

const severities: Readonly<Record<AlertTone, string>> = {
  failing: "critical",
  degraded: "warning",
  recovered: "info",
  neutral: "info",
};

export const incidentIoKind: ChannelKind<Config> = {
  type: "INCIDENTIO",
  ConfigSchema,
  secretFields: ["token"],
  describeRecipient: (config) => `incident.io ${toShortLine(config.name, 255)}`,
  // Disable digests: each check has its own alert, which the recovery of the check resolves.
  acceptsDigests: () => false,
  send: async (message, config, tools) => {
    const base = config.baseUrl || "https://api.incident.io";
    const result = await postJson(message, tools, {
      url: joinUrl(base, `/v2/alert_events/http/${config.sourceId}`),
      headers: { authorization: `Bearer ${config.token}` },
      body: writeEvent(message),
    });
    return decideOutcome(result, { provider: "incident.io", permanentStatuses, now: tools.now });
  },
};

function writeEvent(message: AlertMessage) {
  const tone = decideTone(message.kind);
  const openUrl = findOpenUrl(message);
  const facts = listFacts(message).map(({ label, value }) => [
    label.toLowerCase().replaceAll(" ", "_"),
    value,
  ]);
  return {
    title: writeTitle(message),
    description: writeDescription(message),
    status: tone === "recovered" ? "resolved" : "firing",
    deduplication_key: writeIncidentKey(message, 255),
    ...(openUrl === null ? {} : { source_url: openUrl }),
    metadata: {
      ...Object.fromEntries(facts),
      check_id: message.checkId,
      severity: severities[tone],
      tags: message.tags.slice(0, 20).map((tag) => toShortLine(tag, 100)),
    },
  };
}

/** Writes an alert as Markdown. Values are escaped, so that names do not become links. */
function writeDescription(message: AlertMessage): string {
  const plain = { ...message, acknowledgeUrl: null, alertUrl: null, resultUrl: null };
  const links = listLinks(message).map(({ label, url }) => `[${label}](${url})`);
  return [escapeMarkdown(writePlainText(plain, maxDescriptionLength)), "", ...links].join("\n");
}
