import type { ChannelKind } from "../channel-kind.ts";
import { alertmanagerKind } from "./alertmanager.ts";
import { appriseKind } from "./apprise.ts";
import { discordKind } from "./discord.ts";
import { emailKind } from "./email.ts";
import { googleChatKind } from "./google-chat.ts";
import { gotifyKind } from "./gotify.ts";
import { homeAssistantKind } from "./home-assistant.ts";
import { incidentIoKind } from "./incident-io.ts";
import { jiraServiceManagementKind } from "./jira-service-management.ts";
import { matrixKind } from "./matrix.ts";
import { mattermostKind } from "./mattermost.ts";
import { msTeamsKind } from "./ms-teams.ts";
import { ntfyKind } from "./ntfy.ts";
import { onCallKind } from "./on-call.ts";
import { opsgenieKind } from "./opsgenie.ts";
import { pagerdutyKind } from "./pagerduty.ts";
import { pushoverKind } from "./pushover.ts";
import { signalKind } from "./signal.ts";
import { slackKind } from "./slack.ts";
import { smsKind } from "./sms.ts";
import { telegramKind } from "./telegram.ts";
import { twilioKind } from "./twilio.ts";
import { webPushKind } from "./web-push.ts";
import { webhookKind } from "./webhook.ts";

/**
 * Casts a channel kind to the type that all kinds share, which does not include the type of the
 * configuration. This cast is safe, because the schema of the kind validates each configuration
 * before use.
 */
function eraseConfigType<Config>(kind: ChannelKind<Config>): ChannelKind {
  return kind as ChannelKind;
}

/** All kinds of channels. A new kind needs a file, a test, a line here and a row in the docs. */
export const channelKinds = {
  EMAIL: eraseConfigType(emailKind),
  WEBHOOK: eraseConfigType(webhookKind),
  SLACK: eraseConfigType(slackKind),
  SMS: eraseConfigType(smsKind),
  TWILIO: eraseConfigType(twilioKind),
  MSTEAMS: eraseConfigType(msTeamsKind),
  DISCORD: eraseConfigType(discordKind),
  TELEGRAM: eraseConfigType(telegramKind),
  PAGERDUTY: eraseConfigType(pagerdutyKind),
  OPSGENIE: eraseConfigType(opsgenieKind),
  JIRASERVICEMANAGEMENT: eraseConfigType(jiraServiceManagementKind),
  INCIDENTIO: eraseConfigType(incidentIoKind),
  ALERTMANAGER: eraseConfigType(alertmanagerKind),
  NTFY: eraseConfigType(ntfyKind),
  GOTIFY: eraseConfigType(gotifyKind),
  MATTERMOST: eraseConfigType(mattermostKind),
  MATRIX: eraseConfigType(matrixKind),
  SIGNAL: eraseConfigType(signalKind),
  GOOGLECHAT: eraseConfigType(googleChatKind),
  PUSHOVER: eraseConfigType(pushoverKind),
  HOMEASSISTANT: eraseConfigType(homeAssistantKind),
  APPRISE: eraseConfigType(appriseKind),
  WEBPUSH: eraseConfigType(webPushKind),
  ONCALL: eraseConfigType(onCallKind),
} as const satisfies Readonly<Record<string, ChannelKind>>;

export type ChannelType = keyof typeof channelKinds;
