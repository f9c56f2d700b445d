import type { Fault } from "../../kinds/definition.ts";
import type { Database } from "../../platform/database.ts";
import { findTemplateFault, templateFaultRules } from "../alert-channels/index.ts";
import { holdSlugs } from "../locations/index.ts";
import { holdServices } from "../status-pages/index.ts";
import type { TriggerIncident } from "./alert-settings.ts";

/** Finds faults of the incident that a check opens. Its name and description are templates. */
export async function findTriggerFaults(
  db: Database,
  accountId: string,
  trigger: TriggerIncident | null,
): Promise<Fault[]> {
  if (trigger === null) return [];
  // Locked, so that a concurrent deletion of the service is detected.
  const held = await holdServices(db, accountId, [trigger.serviceId]);
  const exists = held.size > 0;
  const rule = "does not exist in this account";
  return [
    ...(exists ? [] : [{ key: "triggerIncident.serviceId", rule }]),
    ...(["name", "description"] as const).flatMap((field) => {
      const fault = findTemplateFault(trigger[field]);
      const key = `triggerIncident.${field}`;
      return fault === null ? [] : [{ key, rule: templateFaultRules[fault] }];
    }),
  ];
}

interface Placed {
  readonly privateLocations: readonly string[];
}

/**
 * Finds private locations that do not exist in the account. Values stored before existence was
 * required may stay, so that other fields of such a check can still be changed.
 */
export async function findPlaceFaults(
  db: Database,
  accountId: string,
  { requested, before }: { readonly requested: Placed; readonly before: Placed | null },
): Promise<Fault[]> {
  const stored = new Set(before?.privateLocations);
  const added = requested.privateLocations.filter((slug) => !stored.has(slug));
  const existing = await holdSlugs(db, accountId, added);
  return added
    .filter((slug) => !existing.has(slug))
    .map((slug) => ({
      key: `privateLocations.${requested.privateLocations.indexOf(slug)}`,
      rule: `is not a private location of this account; create ${slug} first`,
    }));
}
