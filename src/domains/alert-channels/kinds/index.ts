import type { ChannelKind } from "../channel-kind.ts";
import { appriseKind } from "./apprise.ts";
import { discordKind } from "./discord.ts";
import { emailKind } from "./email.ts";
import { googleChatKind } from "./google-chat.ts";
import { gotifyKind } from "./gotify.ts";
import { homeAssistantKind } from "./home-assistant.ts";
import { matrixKind } from "./matrix.ts";
import { mattermostKind } from "./mattermost.ts";
import { msTeamsKind } from "./ms-teams.ts";
import { ntfyKind } from "./ntfy.ts";
import { opsgenieKind } from "./opsgenie.ts";
import { pagerdutyKind } from "./pagerduty.ts";
import { pushoverKind } from "./pushover.ts";
import { slackKind } from "./slack.ts";
import { smsKind } from "./sms.ts";
import { telegramKind } from "./telegram.ts";
import { webPushKind } from "./web-push.ts";
import { webhookKind } from "./webhook.ts";

/** A stored configuration was validated by the schema of its kind, so its type is dropped here. */
function forgetConfig<Config>(kind: ChannelKind<Config>): ChannelKind {
  return kind as ChannelKind;
}

/** Every kind of channel. A new one is a file, its test, a line here and a row in the docs. */
export const channelKinds = {
  EMAIL: forgetConfig(emailKind),
  WEBHOOK: forgetConfig(webhookKind),
  SLACK: forgetConfig(slackKind),
  SMS: forgetConfig(smsKind),
  MSTEAMS: forgetConfig(msTeamsKind),
  DISCORD: forgetConfig(discordKind),
  TELEGRAM: forgetConfig(telegramKind),
  PAGERDUTY: forgetConfig(pagerdutyKind),
  OPSGENIE: forgetConfig(opsgenieKind),
  NTFY: forgetConfig(ntfyKind),
  GOTIFY: forgetConfig(gotifyKind),
  MATTERMOST: forgetConfig(mattermostKind),
  MATRIX: forgetConfig(matrixKind),
  GOOGLECHAT: forgetConfig(googleChatKind),
  PUSHOVER: forgetConfig(pushoverKind),
  HOMEASSISTANT: forgetConfig(homeAssistantKind),
  APPRISE: forgetConfig(appriseKind),
  WEBPUSH: forgetConfig(webPushKind),
} as const satisfies Readonly<Record<string, ChannelKind>>;

export type ChannelType = keyof typeof channelKinds;
