import { Type } from "typebox";
import { Described, OrNull } from "../../../platform/http/schema.ts";
import { decideOutcome, joinUrl, postJson } from "../../../platform/http-delivery.ts";
import { toShortLine } from "../../../platform/text/clip.ts";
import type { AlertMessage } from "../alert-text.ts";
import {
  type AlertTone,
  decideTone,
  findOpenUrl,
  listFacts,
  listLinks,
  writeIncidentKey,
  writeReason,
  writeTitle,
} from "../alert-text.ts";
import { type ChannelKind, HttpUrl, Secret } from "../channel-kind.ts";

const OptionalText = Type.Optional(OrNull(Type.String({ maxLength: 255 })));
const ConfigSchema = Type.Object({
  serviceKey: Described(
    Secret,
    "The integration key of the PagerDuty service.",
    "R0ABCD1234567890",
  ),
  account: Described(OptionalText, "Display name of the PagerDuty account."),
  serviceName: Described(OptionalText, "Display name of the PagerDuty service."),
  baseUrl: Described(
    Type.Optional(OrNull(HttpUrl)),
    "Alternative URL of the API, for a proxy; `null` for the default.",
  ),
});
type Config = Type.Static<typeof ConfigSchema>;

/** Statuses of permanent failures. Status 400 means that the event or the key is invalid. */
const permanentStatuses = new Set([400, 401, 403, 404, 410]);

export const pagerdutyKind: ChannelKind<Config> = {
  type: "PAGERDUTY",
  ConfigSchema,
  secretFields: ["serviceKey"],
  describeRecipient: (config) => {
    const names = ["PagerDuty", config.account, config.serviceName].filter(Boolean);
    return toShortLine(names.join(" "), 255);
  },
  // Disable digests: each check has its own incident, which the recovery of the check resolves.
  acceptsDigests: () => false,
  send: async (message, config, tools) => {
    const result = await postJson(message, tools, {
      url: joinUrl(config.baseUrl || "https://events.pagerduty.com", "/v2/enqueue"),
      body: { routing_key: config.serviceKey, ...writeEvent(message) },
    });
    return decideOutcome(result, { provider: "PagerDuty", permanentStatuses, now: tools.now });
  },
};

const severities: Readonly<Record<AlertTone, string>> = {
  failing: "critical",
  degraded: "warning",
  recovered: "info",
  neutral: "info",
};

function writeEvent(message: AlertMessage) {
  const tone = decideTone(message.kind);
  // Events with the same key belong to one incident, which the recovery resolves.
  const dedup = { dedup_key: writeIncidentKey(message, 255) };
  const openUrl = findOpenUrl(message);
  if (tone === "recovered") return { event_action: "resolve", ...dedup };
  return {
    event_action: "trigger",
    ...dedup,
    client: "Vedette",
    ...(openUrl === null ? {} : { client_url: openUrl }),
    links: listLinks(message).map(({ label, url }) => ({ href: url, text: label })),
    payload: {
      summary: `${writeTitle(message)}: ${writeReason(message)}`,
      source: toShortLine(message.target, 255) || "unknown",
      severity: severities[tone],
      timestamp: message.startedAt,
      component: toShortLine(message.checkName, 255),
      class: message.kind,
      custom_details: Object.fromEntries(
        listFacts(message).map(({ label, value }) => [label, value]),
      ),
    },
  };
}
