import { Type } from "typebox";
import { Described, Matching } from "../../../platform/http/schema.ts";
import { decideOutcome, describeHost, joinUrl, postJson } from "../../../platform/http-delivery.ts";
import { escapeMarkdown } from "../../../platform/text/escaping.ts";
import type { AlertMessage } from "../alert-text.ts";
import {
  acknowledgeLabel,
  decideTone,
  findOpenUrl,
  listLinks,
  writeIncidentKey,
  writePlainText,
  writeTitle,
} from "../alert-text.ts";
import { type ChannelKind, HttpUrl, Secret } from "../channel-kind.ts";

const actionPattern = "^[a-z0-9_]+\\.[a-z0-9_]+$";

const ConfigSchema = Type.Object({
  url: Described(HttpUrl, "Home Assistant's address.", "https://home.example.com:8123"),
  action: Matching(actionPattern, "must be an action, such as notify.mobile_app_phone", {
    description:
      "The action to call: notify.mobile_app_… for a phone, persistent_notification.create " +
      "for a notification in Home Assistant itself.",
    examples: ["notify.mobile_app_phone"],
    maxLength: 128,
  }),
  token: Described(Secret, "A long-lived access token of a user.", "eyJhbGciOi"),
});
type Config = Type.Static<typeof ConfigSchema>;

/** Statuses of permanent failures. Status 400 also means that the action does not exist. */
const permanentStatuses = new Set([400, 401, 403, 404, 405, 410]);
const maxTextLength = 2_000;

export const homeAssistantKind: ChannelKind<Config> = {
  type: "HOMEASSISTANT",
  ConfigSchema,
  secretFields: ["token"],
  describeRecipient: (config) => `Home Assistant ${config.action} at ${describeHost(config.url)}`,
  send: async (message, config, tools) => {
    const path = `/api/services/${config.action.replace(".", "/")}`;
    const result = await postJson(message, tools, {
      url: joinUrl(config.url, path),
      headers: { authorization: `Bearer ${config.token}` },
      body: writeBody(message, config),
    });
    return decideOutcome(result, { provider: "Home Assistant", permanentStatuses, now: tools.now });
  },
};

/**
 * Writes the request body. All messages about a check share one notification, so that a later
 * message, such as the recovery, replaces the previous one.
 */
function writeBody(message: AlertMessage, { action }: Config) {
  const title = writeTitle(message);
  const text = writePlainText(message, maxTextLength);
  const key = writeIncidentKey(message, 100);
  if (action.startsWith("persistent_notification.")) {
    const plain = { ...message, acknowledgeUrl: null, alertUrl: null, resultUrl: null };
    const links = listLinks(message).map(({ url }) => url);
    const escaped = escapeMarkdown(writePlainText(plain, maxTextLength));
    const body = [escaped, ...links].join("\n\n");
    return { title: escapeMarkdown(title), message: body, notification_id: key };
  }
  const isUrgent = decideTone(message.kind) === "failing";
  const { acknowledgeUrl } = message;
  const openUrl = findOpenUrl(message);
  return {
    title,
    message: text,
    data: {
      tag: key,
      group: "vedette",
      ...(openUrl === null ? {} : { url: openUrl, clickAction: openUrl }),
      ...(acknowledgeUrl === null
        ? {}
        : { actions: [{ action: "URI", title: acknowledgeLabel(message), uri: acknowledgeUrl }] }),
      // Make an urgent message wake a sleeping Android phone and break through a Focus on iOS.
      ...(isUrgent
        ? { ttl: 0, priority: "high", push: { "interruption-level": "time-sensitive" } }
        : {}),
    },
  };
}
