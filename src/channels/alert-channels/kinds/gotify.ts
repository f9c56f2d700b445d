import { Type } from "typebox";
import { Described, OrNull } from "../../../platform/http/schema.ts";
import { decideOutcome, describeHost, joinUrl, postJson } from "../../../platform/http-delivery.ts";
import { type AlertTone, decideTone, writePlainText, writeTitle } from "../alert-text.ts";
import { type ChannelKind, HttpUrl } from "../channel-kind.ts";

const ConfigSchema = Type.Object({
  url: Described(HttpUrl, "The server's address.", "https://gotify.example.com"),
  token: Type.String({
    description: "The application's token.",
    examples: ["AbCdEf123"],
    minLength: 1,
    maxLength: 1_024,
  }),
  priority: Described(
    Type.Optional(OrNull(Type.Integer({ minimum: 0, maximum: 10 }))),
    "The priority; `null` to derive it from the alert.",
  ),
});
type Config = Type.Static<typeof ConfigSchema>;

/** Statuses of permanent failures: no Gotify server at this address, or it rejects the token. */
const permanentStatuses = new Set([400, 401, 403, 404, 410]);
const maxTextLength = 4_000;

/** Gotify priorities. The Android app plays a sound from 4, and also vibrates from 8. */
const priorities: Readonly<Record<AlertTone, number>> = {
  failing: 8,
  degraded: 5,
  recovered: 4,
  neutral: 4,
};

export const gotifyKind: ChannelKind<Config> = {
  type: "GOTIFY",
  ConfigSchema,
  secretFields: ["token"],
  describeRecipient: (config) => `Gotify at ${describeHost(config.url)}`,
  send: async (message, config, tools) => {
    const result = await postJson(message, tools, {
      url: joinUrl(config.url, "/message"),
      headers: { "x-gotify-key": config.token },
      body: {
        title: writeTitle(message),
        message: writePlainText(message, maxTextLength),
        priority: config.priority ?? priorities[decideTone(message.kind)],
      },
    });
    return decideOutcome(result, { provider: "Gotify", permanentStatuses, now: tools.now });
  },
};
