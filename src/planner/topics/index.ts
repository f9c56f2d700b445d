import type { Topic } from "../reading/topic.ts";
import { planBlame } from "./checks/blame.ts";
import { planCount, planList } from "./checks/lists.ts";
import { planOverview } from "./checks/overview.ts";
import { planPlaces, planProbes } from "./checks/places.ts";
import { planResults } from "./checks/results.ts";
import { planSettings, planTags } from "./checks/settings.ts";
import { planSince, planStatus } from "./checks/status.ts";
import { planWhy } from "./checks/why.ts";
import { planChannels } from "./directory/channels.ts";
import { planGroups, planMembers, planServices } from "./directory/groups-and-services.ts";
import { planOnCall, planPage, planReassign } from "./directory/on-call.ts";
import { planDashboards, planPages } from "./directory/pages.ts";
import { planPeople } from "./directory/people.ts";
import {
  planAcknowledge,
  planAlerts,
  planDeliveries,
  planEscalate,
  planRecovery,
  planSnooze,
} from "./events/alerts.ts";
import { planChanges, planFlapping } from "./events/changes.ts";
import { planDraft, planPost } from "./events/incident-updates.ts";
import { planIncident, planIncidents } from "./events/incidents.ts";
import { planMaintenance } from "./events/maintenance.ts";
import { planCompare } from "./figures/compare.ts";
import { planMeasure } from "./figures/measure.ts";
import { planAvailability, planLatency, planSlowest } from "./figures/window-figures.ts";
import type { TopicPlan } from "./situation.ts";
import {
  planElsewhere,
  planForbidden,
  planGreeting,
  planHelp,
  planMeaning,
  planThanks,
  planTime,
} from "./small-talk.ts";
import { planMute, planProposal, planRun, planUnmute } from "./writes/writes.ts";

interface TopicEntry {
  readonly plan: TopicPlan;
  /** Text to show before the first tool results arrive; `null` for a general text. */
  readonly opening: string | null;
}

export const topics: Readonly<Record<Topic, TopicEntry>> = {
  greeting: { plan: planGreeting, opening: null },
  thanks: { plan: planThanks, opening: null },
  help: { plan: planHelp, opening: null },
  forbidden: { plan: planForbidden, opening: null },
  elsewhere: { plan: planElsewhere, opening: null },
  meaning: { plan: planMeaning, opening: null },
  settings: { plan: planSettings, opening: "Looking at the settings" },
  tags: { plan: planTags, opening: "Listing the tags" },
  overview: { plan: planOverview, opening: "Looking at the status of the checks" },
  status: { plan: planStatus, opening: "Looking at the status" },
  since: { plan: planSince, opening: "Looking up when it began" },
  why: { plan: planWhy, opening: "Looking for the cause" },
  blame: { plan: planBlame, opening: "Comparing checks and locations" },
  places: { plan: planPlaces, opening: "Looking at each location" },
  probes: { plan: planProbes, opening: "Looking at locations and probes" },
  slowest: { plan: planSlowest, opening: "Adding up latencies" },
  latency: { plan: planLatency, opening: "Adding up latencies" },
  availability: { plan: planAvailability, opening: "Adding up availability" },
  measure: { plan: planMeasure, opening: "Looking at single runs" },
  changes: { plan: planChanges, opening: "Looking at what changed" },
  flapping: { plan: planFlapping, opening: "Counting changes of status" },
  recovery: { plan: planRecovery, opening: "Looking at what failed and recovered" },
  incidents: { plan: planIncidents, opening: "Looking at incidents" },
  incident: { plan: planIncident, opening: "Looking at the incident" },
  draft: { plan: planDraft, opening: "Reading the incident" },
  post: { plan: planPost, opening: "Preparing the update" },
  deliveries: { plan: planDeliveries, opening: "Looking at what was sent" },
  maintenance: { plan: planMaintenance, opening: "Looking at maintenance windows" },
  count: { plan: planCount, opening: "Counting" },
  list: { plan: planList, opening: "Listing" },
  compare: { plan: planCompare, opening: "Comparing" },
  results: { plan: planResults, opening: "Looking at runs" },
  run: { plan: planRun, opening: "Preparing the run" },
  mute: { plan: planMute, opening: "Preparing the change" },
  unmute: { plan: planUnmute, opening: "Preparing the change" },
  time: { plan: planTime, opening: null },
  members: { plan: planMembers, opening: "Looking at what belongs together" },
  services: { plan: planServices, opening: "Looking at the services" },
  groups: { plan: planGroups, opening: "Looking at the groups" },
  pages: { plan: planPages, opening: "Looking at the status pages" },
  channels: { plan: planChannels, opening: "Looking at the alert channels" },
  people: { plan: planPeople, opening: "Looking at the members" },
  dashboards: { plan: planDashboards, opening: "Looking at the dashboards" },
  alerts: { plan: planAlerts, opening: "Looking at the open alerts" },
  acknowledge: { plan: planAcknowledge, opening: "Preparing the acknowledgement" },
  oncall: { plan: planOnCall, opening: "Looking at who is on call" },
  page: { plan: planPage, opening: "Preparing the page" },
  snooze: { plan: planSnooze, opening: "Preparing the change" },
  reassign: { plan: planReassign, opening: "Preparing the page" },
  escalate: { plan: planEscalate, opening: "Preparing the change" },
  create: { plan: planProposal, opening: "Reading what to create" },
};
