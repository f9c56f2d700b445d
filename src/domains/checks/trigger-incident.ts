import type { Fault } from "../../kinds/kind.ts";
import type { Database } from "../../platform/database.ts";
import { findTemplateFault, templateFaultRules } from "../alert-channels/index.ts";
import { holdServices } from "../status-pages/index.ts";
import type { TriggerIncident } from "./alert-settings.ts";

/** Faults of the incident that a check opens. Its name and description are templates. */
export async function findTriggerFaults(
  db: Database,
  accountId: string,
  trigger: TriggerIncident | null,
): Promise<Fault[]> {
  if (trigger === null) return [];
  // Locked, so that of a concurrent delete and this check one sees the other.
  const held = await holdServices(db, accountId, [trigger.serviceId]);
  const isKnown = held.size > 0;
  const rule = "is not known in this account";
  return [
    ...(isKnown ? [] : [{ key: "triggerIncident.serviceId", rule }]),
    ...(["name", "description"] as const).flatMap((field) => {
      const fault = findTemplateFault(trigger[field]);
      const key = `triggerIncident.${field}`;
      return fault === null ? [] : [{ key, rule: templateFaultRules[fault] }];
    }),
  ];
}
