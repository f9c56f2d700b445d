import type { ChannelType } from "../../../src/channels/alert-channels/kinds/index.ts";

/**
 * Returns a valid configuration for each channel type. `url` is the target, and every secret has
 * the value `secret`.
 */
export function createChannelConfigs(url: string, secret = "s3cret-canary") {
  const entry = { value: secret, locked: true };
  return {
    EMAIL: { address: "owner@example.com" },
    WEBHOOK: {
      name: "Mine",
      url: `${url}/hook`,
      method: "POST",
      template: "",
      headers: [{ key: "authorization", ...entry }],
      queryParameters: [{ key: "token", ...entry }],
      webhookSecret: secret,
      webhookType: null,
    },
    SLACK: { url: `${url}/services/${secret}`, channel: "#alerts" },
    SMS: { name: "On call", number: "+31 6 12 34 56 78" },
    MSTEAMS: { url: `${url}/workflows/${secret}?sig=${secret}` },
    DISCORD: { url: `${url}/api/webhooks/1/${secret}` },
    TELEGRAM: { botToken: `123:${secret}`, chatId: "-1001", baseUrl: url },
    PAGERDUTY: { serviceKey: secret, account: "acme", serviceName: "web", baseUrl: url },
    OPSGENIE: { name: "Team", apiKey: secret, region: "EU", priority: "P2", baseUrl: url },
    NTFY: { url, topic: "alerts", token: secret, priority: null },
    GOTIFY: { url, token: secret, priority: null },
    MATTERMOST: { url: `${url}/hooks/${secret}`, channel: null },
    MATRIX: { url, roomId: "!room:example.com", accessToken: secret },
    GOOGLECHAT: { url: `${url}/v1/spaces/x/messages?key=${secret}&token=${secret}` },
    PUSHOVER: { token: secret, userKey: secret, device: null, priority: null, baseUrl: url },
    HOMEASSISTANT: { url, action: "notify.mobile_app_phone", token: secret },
    ONCALL: { name: "Primary", scheduleId: null, userId: null },
    WEBPUSH: { name: "Phones", email: null },
    ALERTMANAGER: { url, labels: "team=shop", username: null, password: secret },
    JIRASERVICEMANAGEMENT: { name: "Team", apiKey: secret, priority: "P2", baseUrl: url },
    INCIDENTIO: { name: "Team", sourceId: "01GW2G3V0S59", token: secret, baseUrl: url },
    SIGNAL: { url, number: "+31612345678", recipients: "+31687654321", token: secret },
    TWILIO: {
      name: "On call",
      method: "CALL",
      to: "+31612345678",
      from: "+15005550006",
      accountSid: `AC${"0".repeat(32)}`,
      authToken: secret,
      baseUrl: url,
    },
    APPRISE: { url, key: "ops", tag: null, token: secret },
  } as const satisfies Readonly<Record<ChannelType, Readonly<Record<string, unknown>>>>;
}
