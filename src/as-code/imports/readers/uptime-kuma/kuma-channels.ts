import type { ReadingBuilder } from "../../reading-builder.ts";
import { toPair } from "../http-settings.ts";
import { Row } from "../row.ts";
import type { KumaData } from "./kuma-data.ts";
import { monitorOrigin } from "./kuma-monitors.ts";

interface Channel {
  readonly type: string;
  readonly config: Readonly<Record<string, unknown>>;
}

const splitList = (text: string | null): string[] =>
  (text ?? "").split(/[,;]/).flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));

function toEmails(config: Row): Channel[] {
  const addresses = ["smtpTo", "smtpCC", "smtpBCC"].flatMap((key) => splitList(config.text(key)));
  return [...new Set(addresses)].map((address) => {
    const [, inner = address] = /<([^>]+)>/.exec(address) ?? [];
    return { type: "EMAIL", config: { address: inner } };
  });
}

function toWebhook(config: Row, name: string): Channel[] {
  const extra = new Row(config.json("webhookAdditionalHeaders"));
  const headers = extra.keys().flatMap((key) => {
    const value = extra.text(key);
    return value === null ? [] : [{ ...toPair(key, value), locked: true }];
  });
  const method = (config.text("httpMethod") ?? "post").toUpperCase();
  return [
    { type: "WEBHOOK", config: { name, url: config.text("webhookURL") ?? "", method, headers } },
  ];
}

const priorities = [0, 1, 2, 3, 4, 5];

type Translate = (config: Row, name: string) => Channel[];

/** Translates a notification type whose whole configuration is one URL. */
const byUrl =
  (type: string, key: string, channelKey?: string): Translate =>
  (config) => {
    const channel = channelKey === undefined ? null : config.text(channelKey);
    const url = config.text(key) ?? "";
    return [{ type, config: { url, ...(channel !== null && { channel }) } }];
  };

const translators: Readonly<Record<string, Translate>> = {
  smtp: toEmails,
  webhook: toWebhook,
  slack: byUrl("SLACK", "slackwebhookURL", "slackchannel"),
  discord: byUrl("DISCORD", "discordWebhookUrl"),
  teams: byUrl("MSTEAMS", "webhookUrl"),
  mattermost: byUrl("MATTERMOST", "mattermostWebhookUrl", "mattermostchannel"),
  GoogleChat: byUrl("GOOGLECHAT", "googleChatWebhookURL"),
  telegram: (config) => [
    {
      type: "TELEGRAM",
      config: {
        botToken: config.text("telegramBotToken") ?? "",
        chatId: config.text("telegramChatID") ?? "",
        baseUrl: config.text("telegramServerUrl"),
      },
    },
  ],
  PagerDuty: (config) => [
    { type: "PAGERDUTY", config: { serviceKey: config.text("pagerdutyIntegrationKey") ?? "" } },
  ],
  Opsgenie: (config, name) => {
    const priority = config.integer("opsgeniePriority");
    return [
      {
        type: "OPSGENIE",
        config: {
          name,
          apiKey: config.text("opsgenieApiKey") ?? "",
          region: config.text("opsgenieRegion") === "eu" ? "EU" : "US",
          priority: `P${priority !== null && priority > 0 && priority <= 5 ? priority : 3}`,
        },
      },
    ];
  },
  ntfy: (config) => {
    const priority = config.integer("ntfyPriority");
    return [
      {
        type: "NTFY",
        config: {
          url: config.text("ntfyserverurl") ?? "",
          topic: config.text("ntfytopic") ?? "",
          token: config.text("ntfyaccesstoken"),
          priority:
            priority !== null && priorities.includes(priority) && priority > 0 ? priority : null,
        },
      },
    ];
  },
  gotify: (config) => [
    {
      type: "GOTIFY",
      config: {
        url: config.text("gotifyserverurl") ?? "",
        token: config.text("gotifyapplicationToken") ?? "",
        priority: config.integer("gotifyPriority"),
      },
    },
  ],
  matrix: (config) => [
    {
      type: "MATRIX",
      config: {
        url: config.text("homeserverUrl") ?? "",
        roomId: config.text("internalRoomId") ?? "",
        accessToken: config.text("accessToken") ?? "",
      },
    },
  ],
  pushover: (config) => [
    {
      type: "PUSHOVER",
      config: {
        token: config.text("pushoverapptoken") ?? "",
        userKey: config.text("pushoveruserkey") ?? "",
        device: config.text("pushoverdevice"),
        priority: config.integer("pushoverpriority"),
      },
    },
  ],
  HomeAssistant: (config) => [
    {
      type: "HOMEASSISTANT",
      config: {
        url: config.text("homeAssistantUrl") ?? "",
        token: config.text("longLivedAccessToken") ?? "",
        action: `notify.${config.text("notificationService") ?? "notify"}`,
      },
    },
  ],
};

const channelOrigin = (id: number, index: number, count: number) =>
  `kuma/notification-${id}${count > 1 ? `-${index + 1}` : ""}`;

/** Adds the channels. Returns the logical ids of the channels by notification id. */
function addChannels(builder: ReadingBuilder, rows: readonly Row[]): Map<number, string[]> {
  const channels = new Map<number, string[]>();
  for (const row of rows) {
    const id = row.integer("id");
    if (id === null) continue;
    const config = new Row(row.json("config"));
    const name = row.text("name") ?? config.text("name") ?? `Notification ${id}`;
    const origin = { origin: `kuma/notification-${id}`, name };
    const type = config.text("type") ?? "unknown";
    const translate = Object.hasOwn(translators, type) ? translators[type] : undefined;
    if (translate === undefined) {
      builder.leaveOut(origin, `There is no channel for notifications of type ${type}.`);
      continue;
    }
    if (!row.flag("active", true)) {
      builder.leaveOut(origin, "The notification is not active.");
      continue;
    }
    const isDefault = row.flag("is_default") || config.flag("isDefault");
    const translated = translate(config, name.slice(0, 100));
    if (translated.length === 0) builder.leaveOut(origin, "It has no recipient.");
    const options = { sslExpiry: true, sslExpiryThreshold: 30, autoSubscribe: isDefault };
    const ids = translated.map((channel, index) => {
      const logicalId = channelOrigin(id, index, translated.length);
      builder.add({ type: "alert-channel", logicalId, payload: { ...channel, ...options } }, name);
      return logicalId;
    });
    channels.set(id, ids);
  }
  return channels;
}

export function addNotifications(builder: ReadingBuilder, data: KumaData): void {
  const channels = addChannels(builder, data.notifications);
  for (const row of data.monitorNotifications) {
    const monitorId = row.integer("monitor_id");
    const ids = channels.get(row.integer("notification_id") ?? -1) ?? [];
    if (monitorId === null) continue;
    for (const id of ids) builder.subscribe(id, monitorOrigin(monitorId));
  }
}
