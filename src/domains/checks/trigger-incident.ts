import type { Fault } from "../../kinds/definition.ts";
import type { Database } from "../../platform/database.ts";
import { findTemplateFault, templateFaultRules } from "../alert-channels/index.ts";
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
