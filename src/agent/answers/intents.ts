import {
  answerAlerts,
  answerChannels,
  answerDeliveries,
  answerMaintenance,
  answerOnCall,
  answerPolicies,
} from "./alerting.ts";
import { answerComparison, answerLatency } from "./comparison.ts";
import {
  answerBelongs,
  answerChecks,
  answerDashboards,
  answerGroups,
  answerPages,
  answerProbes,
  answerServices,
  answerSettings,
  answerTags,
} from "./directory.ts";
import { answerFigures } from "./figures.ts";
import { answerChanges, answerResults } from "./history.ts";
import { answerDraft, answerIncidents, answerPost } from "./incidents.ts";
import { answerMembers } from "./members.ts";
import {
  proposeCreation,
  proposeForAlerts,
  proposeForChecks,
  proposeForPerson,
} from "./proposals.ts";
import type { Answerer } from "./situation.ts";
import { answerStatus } from "./status.ts";
import {
  answerConfirm,
  answerDocs,
  answerElsewhere,
  answerGreeting,
  answerHelp,
  answerThanks,
  answerTime,
  answerUnknown,
} from "./talk.ts";

interface Entry {
  readonly answer: Answerer;
  /** Text to show before the first tool results arrive; `null` if no tool is called. */
  readonly opening: string | null;
}

const entry = (answer: Answerer, opening: string | null = null): Entry => ({ answer, opening });

/** What answers each intent of the phrases, except for those that start with "do.". */
const intents: Readonly<Record<string, Entry>> = {
  status: entry(answerStatus, "Looking at the status"),
  probes: entry(answerProbes, "Looking at locations and probes"),
  latency: entry(answerLatency, "Adding up latencies"),
  availability: entry(answerFigures, "Adding up availability"),
  loss: entry(answerFigures, "Looking at single runs"),
  changes: entry(answerChanges, "Looking at what changed"),
  compare: entry(answerComparison, "Comparing"),
  results: entry(answerResults, "Looking at runs"),
  incidents: entry(answerIncidents, "Looking at incidents"),
  draft: entry(answerDraft, "Reading the incident"),
  deliveries: entry(answerDeliveries, "Looking at what was sent"),
  channels: entry(answerChannels, "Looking at the alert channels"),
  maintenance: entry(answerMaintenance, "Looking at maintenance windows"),
  checks: entry(answerChecks, "Listing checks"),
  tags: entry(answerTags, "Listing the tags"),
  settings: entry(answerSettings, "Looking at the settings"),
  belongs: entry(answerBelongs, "Looking at what belongs together"),
  services: entry(answerServices, "Looking at the services"),
  groups: entry(answerGroups, "Looking at the groups"),
  pages: entry(answerPages, "Looking at the status pages"),
  members: entry(answerMembers, "Looking at the members"),
  dashboards: entry(answerDashboards, "Looking at the dashboards"),
  alerts: entry(answerAlerts, "Looking at the open alerts"),
  oncall: entry(answerOnCall, "Looking at who is on call"),
  policies: entry(answerPolicies, "Looking at escalation policies"),
  time: entry(answerTime),
  docs: entry(answerDocs, "Searching the docs"),
  help: entry(answerHelp),
  greeting: entry(answerGreeting),
  thanks: entry(answerThanks),
  confirm: entry(answerConfirm),
  run: entry(proposeForChecks, "Preparing the run"),
  mute: entry(proposeForChecks, "Preparing the change"),
  unmute: entry(proposeForChecks, "Preparing the change"),
  acknowledge: entry(proposeForAlerts, "Preparing the acknowledgement"),
  snooze: entry(proposeForAlerts, "Preparing the change"),
  escalate: entry(proposeForAlerts, "Preparing the change"),
  page: entry(proposeForPerson, "Preparing the page"),
  reassign: entry(proposeForPerson, "Preparing the change"),
  post: entry(answerPost, "Preparing the update"),
  create: entry(proposeCreation, "Reading what to create"),
};

const elsewhere = entry(answerElsewhere);

const unknown = entry(answerUnknown);

export function findEntry(intent: string): Entry {
  return intents[intent] ?? (intent.startsWith("do.") ? elsewhere : unknown);
}
