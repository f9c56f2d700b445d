import { Type } from "typebox";
import { Described, Matching, OrNull } from "../../../platform/http/schema.ts";
import {
  decideOutcome,
  describeHost,
  joinUrl,
  notSent,
  postJson,
} from "../../../platform/http-delivery.ts";
import { type AlertTone, decideTone, writePlainText, writeTitle } from "../alert-text.ts";
import { type ChannelKind, HttpUrl } from "../channel-kind.ts";

const keyPattern = "^[A-Za-z0-9_-]{1,128}$";

const ConfigSchema = Type.Object({
  url: Described(HttpUrl, "The address of your Apprise API server.", "https://apprise.example.com"),
  key: Matching(keyPattern, "must be 1 to 128 letters, digits, hyphens and underscores", {
    description: "The key of a configuration stored on that server.",
    examples: ["ops"],
  }),
  tag: Described(
    Type.Optional(OrNull(Type.String({ maxLength: 255 }))),
    "Only services of the configuration with this tag; `null` for all of them.",
  ),
  token: Described(
    Type.Optional(OrNull(Type.String({ maxLength: 1_024 }))),
    "Bearer token for a proxy in front of the server; `null` if there is none.",
  ),
});
type Config = Type.Static<typeof ConfigSchema>;

/** Statuses of permanent failures: no Apprise server at this address, or it rejects the message. */
const permanentStatuses = new Set([400, 401, 403, 404, 405, 410]);
const maxTextLength = 4_000;

const types: Readonly<Record<AlertTone, string>> = {
  failing: "failure",
  degraded: "warning",
  recovered: "success",
  neutral: "info",
};

export const appriseKind: ChannelKind<Config> = {
  type: "APPRISE",
  ConfigSchema,
  secretFields: ["token"],
  describeRecipient: (config) => `Apprise ${config.key} at ${describeHost(config.url)}`,
  send: async (message, config, tools) => {
    const result = await postJson(message, tools, {
      url: joinUrl(config.url, `/notify/${config.key}`),
      headers: config.token ? { authorization: `Bearer ${config.token}` } : {},
      body: {
        title: writeTitle(message),
        body: writePlainText(message, maxTextLength),
        type: types[decideTone(message.kind)],
        format: "text",
        ...(config.tag ? { tag: config.tag } : {}),
      },
    });
    // Apprise responds 204 if it has no service to notify, so the message reached nobody.
    if (result.kind === "answered" && result.status === 204) {
      const reason = "Apprise responded 204: no service matches this key and tag.";
      return notSent(reason, { isPermanent: true, statusCode: 204 });
    }
    return decideOutcome(result, { provider: "Apprise", permanentStatuses, now: tools.now });
  },
};
