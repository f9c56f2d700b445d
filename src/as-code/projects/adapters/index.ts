import { type ResourceType, resourceTypes } from "../resource.ts";
import type { Adapter } from "./adapter.ts";
import { channelAdapter, subscriptionAdapter } from "./channels.ts";
import { checkAdapter, groupAdapter } from "./checks.ts";
import { componentAdapter, ruleAdapter } from "./components.ts";
import { policyAdapter, scheduleAdapter } from "./on-call.ts";
import { dashboardAdapter, pageAdapter, serviceAdapter } from "./pages.ts";
import { locationAdapter, windowAdapter } from "./places.ts";
import { certificateAdapter, snippetAdapter, variableAdapter } from "./settings.ts";

/**
 * Resource types with an adapter. Assignments have no adapter: they are stored with their check or
 * group.
 */
export type AdaptedType = Exclude<
  ResourceType,
  "private-location-check-assignment" | "private-location-group-assignment"
>;

/** Resource types with an adapter, in the order of creation. */
export const adaptedTypes = resourceTypes.filter(
  (type): type is AdaptedType => !type.endsWith("-assignment"),
);

export const adapters: Readonly<Record<AdaptedType, Adapter>> = {
  "environment-variable": variableAdapter as Adapter,
  "client-certificate": certificateAdapter as Adapter,
  snippet: snippetAdapter as Adapter,
  "status-page-service": serviceAdapter as Adapter,
  "private-location": locationAdapter as Adapter,
  "on-call-schedule": scheduleAdapter as Adapter,
  "alert-channel": channelAdapter as Adapter,
  "escalation-policy": policyAdapter as Adapter,
  "check-group": groupAdapter as Adapter,
  check: checkAdapter as Adapter,
  "alert-channel-subscription": subscriptionAdapter as Adapter,
  "status-page": pageAdapter as Adapter,
  "status-page-component": componentAdapter as Adapter,
  "status-page-automation-rule": ruleAdapter as Adapter,
  "maintenance-window": windowAdapter as Adapter,
  dashboard: dashboardAdapter as Adapter,
};
