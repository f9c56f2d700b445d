import type { ReadingBuilder } from "../../reading-builder.ts";
import type { Row } from "../row.ts";

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

/** Adds the providers as channels, and returns the default alert of each. */
export function addProviders(builder: ReadingBuilder, alerting: Row): Map<string, Row> {
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
