import { Type } from "typebox";
import { Described, OneOf, OrNull } from "../../../platform/http/schema.ts";
import { decideOutcome, joinUrl, postJson } from "../../../platform/http-delivery.ts";
import { toShortLine } from "../../../platform/text/clip.ts";
import type { AlertMessage } from "../alert-text.ts";
import {
  decideTone,
  listFacts,
  writeIncidentKey,
  writePlainText,
  writeTitle,
} from "../alert-text.ts";
import { type ChannelKind, HttpUrl, Label, Secret } from "../channel-kind.ts";

const ConfigSchema = Type.Object({
  name: Described(Label, "Display name.", "Team"),
  apiKey: Described(Secret, "The API key of the integration.", "e5b8c1a2-integration"),
  region: Described(OneOf(["EU", "US"]), "The region of the account."),
  priority: Described(OneOf(["P1", "P2", "P3", "P4", "P5"]), "Priority of the alerts.", "P2"),
  baseUrl: Described(
    Type.Optional(OrNull(HttpUrl)),
    "Alternative URL of the API, for a proxy; `null` for the default.",
  ),
});
type Config = Type.Static<typeof ConfigSchema>;

const hosts = { EU: "https://api.eu.opsgenie.com", US: "https://api.opsgenie.com" } as const;

/** Statuses of permanent failures: Opsgenie rejects the API key or the alert. */
export const genieFailures: ReadonlySet<number> = new Set([400, 401, 403, 404, 410, 422]);

export const opsgenieKind: ChannelKind<Config> = {
  type: "OPSGENIE",
  ConfigSchema,
  secretFields: ["apiKey"],
  describeRecipient: (config) => `Opsgenie ${toShortLine(config.name, 255)}`,
  // Disable digests: each check has its own alert, which the recovery of the check closes.
  acceptsDigests: () => false,
  send: async (message, config, tools) => {
    const base = config.baseUrl || hosts[config.region];
    const request = writeGenieRequest(message, config.priority);
    const result = await postJson(message, tools, {
      url: joinUrl(base, request.path),
      headers: { authorization: `GenieKey ${config.apiKey}` },
      body: request.body,
    });
    const rules = { provider: "Opsgenie", permanentStatuses: genieFailures, now: tools.now };
    return decideOutcome(result, rules);
  },
};

/** Writes the request that creates or closes the alert of a check, identified by its alias. */
export function writeGenieRequest(message: AlertMessage, priority: string) {
  const alias = writeIncidentKey(message, 512);
  if (decideTone(message.kind) === "recovered") {
    const path = `/v2/alerts/${encodeURIComponent(alias)}/close?identifierType=alias`;
    return { path, body: { source: "Vedette", note: writeTitle(message) } };
  }
  const details = listFacts(message).map(({ label, value }) => [label, value]);
  return {
    path: "/v2/alerts",
    body: {
      message: writeTitle(message, 130),
      alias,
      description: writePlainText(message, 15_000),
      priority,
      source: "Vedette",
      entity: toShortLine(message.target, 255),
      tags: message.tags.slice(0, 20).map((tag) => toShortLine(tag, 50)),
      details: Object.fromEntries(details),
    },
  };
}
