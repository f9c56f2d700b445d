import { Type } from "typebox";
import { Described, OneOf, OrNull } from "../../../platform/http/schema.ts";
import { decideOutcome, joinUrl, postJson } from "../../../platform/http-delivery.ts";
import { toShortLine } from "../../../platform/text/clip.ts";
import { type ChannelKind, HttpUrl, Label, Secret } from "../channel-kind.ts";
import { genieFailures, writeGenieRequest } from "./opsgenie.ts";

const ConfigSchema = Type.Object({
  name: Described(Label, "Display name.", "Team"),
  apiKey: Described(Secret, "The API key of an API integration of the team.", "e5b8c1a2-key"),
  priority: Described(OneOf(["P1", "P2", "P3", "P4", "P5"]), "Priority of the alerts.", "P2"),
  baseUrl: Described(
    Type.Optional(OrNull(HttpUrl)),
    "Alternative URL of the API, for a proxy; `null` for the default.",
  ),
});
type Config = Type.Static<typeof ConfigSchema>;

const integrationUrl = "https://api.atlassian.com/jsm/ops/integration";

/** Sends alerts to Jira Service Management, whose API accepts the same requests as Opsgenie. */
export const jiraServiceManagementKind: ChannelKind<Config> = {
  type: "JIRASERVICEMANAGEMENT",
  ConfigSchema,
  secretFields: ["apiKey"],
  describeRecipient: (config) => `Jira Service Management ${toShortLine(config.name, 255)}`,
  // Disable digests: each check has its own alert, which the recovery of the check closes.
  acceptsDigests: () => false,
  send: async (message, config, tools) => {
    const request = writeGenieRequest(message, config.priority);
    const result = await postJson(message, tools, {
      url: joinUrl(config.baseUrl || integrationUrl, request.path),
      headers: { authorization: `GenieKey ${config.apiKey}` },
      body: request.body,
    });
    const provider = "Jira Service Management";
    return decideOutcome(result, { provider, permanentStatuses: genieFailures, now: tools.now });
  },
};
