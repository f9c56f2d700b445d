/** Labels and hints for the fields of the channel form, by channel type and field. */
export interface FieldWords {
  readonly label: string;
  readonly hint?: string;
}

type KindFields = Readonly<Record<string, FieldWords>>;

const incomingWebhook = (where: string): FieldWords => ({
  label: "Webhook URL",
  hint: `Create an incoming webhook in ${where} and paste its URL.`,
});
const apiUrl: FieldWords = {
  label: "API URL",
  hint: "Only needed behind a proxy. Leave it empty otherwise.",
};
const priority = (hint: string): FieldWords => ({
  label: "Priority",
  hint: `${hint} If empty, it follows the severity.`,
});

const fields: Readonly<Record<string, KindFields>> = {
  EMAIL: { address: { label: "Email address" } },
  WEBHOOK: {
    name: { label: "Name", hint: "The name of this channel in Vedette." },
    url: { label: "URL", hint: "Every alert is sent as a request to this URL." },
    method: { label: "Method" },
    template: {
      label: "Body",
      hint: "Can contain variables such as {{ALERT_TITLE}}. If empty, a JSON body is sent.",
    },
    headers: { label: "Headers" },
    queryParameters: { label: "Query parameters" },
    webhookSecret: { label: "Signing secret", hint: "If set, every request is signed with it." },
  },
  SLACK: {
    url: incomingWebhook("Slack"),
    channel: { label: "Channel", hint: "If empty, the channel of the webhook." },
  },
  SMS: {
    name: { label: "Name", hint: "The owner of the phone." },
    number: { label: "Phone number", hint: "With the country code." },
  },
  MSTEAMS: { url: incomingWebhook("Microsoft Teams") },
  DISCORD: { url: incomingWebhook("the settings of a Discord channel") },
  TELEGRAM: {
    botToken: { label: "Bot token", hint: "From @BotFather." },
    chatId: { label: "Chat ID", hint: "The chat or group that the bot is a member of." },
    baseUrl: apiUrl,
  },
  PAGERDUTY: {
    serviceKey: {
      label: "Integration key",
      hint: "From an Events API v2 integration of the PagerDuty service.",
    },
    account: { label: "Account name", hint: "Shown in Vedette only." },
    serviceName: { label: "Service name", hint: "Shown in Vedette only." },
    baseUrl: apiUrl,
  },
  OPSGENIE: {
    name: { label: "Name", hint: "The name of this channel in Vedette." },
    apiKey: { label: "API key", hint: "From an API integration of Opsgenie." },
    region: { label: "Region" },
    priority: { label: "Priority" },
    baseUrl: apiUrl,
  },
  NTFY: {
    url: { label: "Server URL", hint: "Your own server, or https://ntfy.sh." },
    topic: { label: "Topic" },
    token: { label: "Access token", hint: "Only for protected topics." },
    priority: priority("1 to 5."),
  },
  GOTIFY: {
    url: { label: "Server URL" },
    token: { label: "App token", hint: "From Apps in Gotify." },
    priority: priority("0 to 10."),
  },
  MATTERMOST: {
    url: incomingWebhook("Mattermost"),
    channel: { label: "Channel", hint: "Or @user. If empty, the channel of the webhook." },
  },
  MATRIX: {
    url: { label: "Homeserver URL" },
    roomId: { label: "Room ID", hint: "The sending user must be a member." },
    accessToken: { label: "Access token", hint: "Access token of the sending user." },
  },
  GOOGLECHAT: { url: incomingWebhook("a Google Chat space") },
  PUSHOVER: {
    token: { label: "API token", hint: "API token of your Pushover application." },
    userKey: { label: "User or group key" },
    device: { label: "Device", hint: "If empty, all devices." },
    priority: priority("-2 to 2. A failure with priority 2 repeats until it is acknowledged."),
    baseUrl: apiUrl,
  },
  HOMEASSISTANT: {
    url: { label: "Home Assistant URL" },
    action: {
      label: "Action",
      hint: "notify.mobile_app_… for a phone, or persistent_notification.create.",
    },
    token: { label: "Access token", hint: "A long-lived access token of a user." },
  },
  APPRISE: {
    url: { label: "Apprise API URL" },
    key: { label: "Configuration key", hint: "Key of a configuration stored in Apprise." },
    tag: { label: "Tag", hint: "If empty, all services of the configuration." },
    token: { label: "Bearer token", hint: "Only if a proxy requires one." },
  },
  WEBPUSH: {
    name: { label: "Name", hint: "The name of this channel in Vedette." },
    email: { label: "Member", hint: "If empty, the devices of all members." },
  },
  ONCALL: {
    name: { label: "Name", hint: "The name of this channel in Vedette." },
    scheduleId: {
      label: "On-call schedule",
      hint: "Pages the person on call, by their contact methods and notification rules.",
    },
    userId: { label: "Member", hint: "Pages one member. Only without a schedule." },
  },
  ALERTMANAGER: {
    url: { label: "Alertmanager URL" },
    labels: { label: "Labels", hint: "Added to every alert, such as team=shop, env=production." },
    username: { label: "User name", hint: "If empty, the password is sent as a bearer token." },
    password: { label: "Password or token", hint: "Only if Alertmanager requires one." },
  },
  JIRASERVICEMANAGEMENT: {
    name: { label: "Name", hint: "The name of this channel in Vedette." },
    apiKey: { label: "API key", hint: "From an API integration of the team's operations." },
    priority: { label: "Priority" },
    baseUrl: apiUrl,
  },
  INCIDENTIO: {
    name: { label: "Name", hint: "The name of this channel in Vedette." },
    sourceId: { label: "Alert source ID", hint: "The last part of the URL of an HTTP source." },
    token: { label: "Token", hint: "From the same alert source." },
    baseUrl: apiUrl,
  },
  SIGNAL: {
    url: { label: "signal-cli REST API URL" },
    number: { label: "Sender", hint: "The registered number, with the country code." },
    recipients: {
      label: "Recipients",
      hint: "Phone numbers, group ids or user names, separated by commas.",
    },
    token: { label: "Bearer token", hint: "Only if a proxy requires one." },
  },
  TWILIO: {
    name: { label: "Name", hint: "The owner of the phone." },
    method: {
      label: "Method",
      hint: "A call reads the alert aloud, and pressing 1 acknowledges it.",
    },
    to: { label: "Phone number", hint: "With the country code." },
    from: {
      label: "From",
      hint: "Your number at Twilio. For SMS also a messaging service or a sender name.",
    },
    accountSid: { label: "Account SID", hint: "From the console of Twilio." },
    authToken: { label: "Auth token", hint: "From the console of Twilio." },
    baseUrl: apiUrl,
  },
};

export function findFieldWords(type: string, key: string): FieldWords | null {
  return fields[type]?.[key] ?? null;
}

/** One-line description of each channel type. */
export const kindLines: Readonly<Record<string, string>> = {
  EMAIL: "An email to one address",
  WEBHOOK: "An HTTP request to your endpoint",
  SLACK: "A message in a channel",
  SMS: "A text message to a phone",
  MSTEAMS: "A card in a channel",
  DISCORD: "A message in a channel",
  TELEGRAM: "A message from a bot",
  PAGERDUTY: "An incident for the on-call person",
  OPSGENIE: "An alert for the on-call person",
  NTFY: "A push notification to a topic",
  GOTIFY: "A push notification from your server",
  MATTERMOST: "A message in a channel",
  MATRIX: "A message to a Matrix room",
  GOOGLECHAT: "A card in a space",
  PUSHOVER: "A push notification to your devices",
  HOMEASSISTANT: "A notification or any action",
  APPRISE: "More than 100 services",
  WEBPUSH: "Installed browsers and phones",
  ONCALL: "The person whose turn it is",
  ALERTMANAGER: "An alert for your own routes",
  JIRASERVICEMANAGEMENT: "An alert for the on-call person",
  INCIDENTIO: "An alert for your alert routes",
  SIGNAL: "A message to people or a group",
  TWILIO: "A phone call or a text message",
};
