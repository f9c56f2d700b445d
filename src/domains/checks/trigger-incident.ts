import type { Fault } from "../../kinds/kind.ts";
import type { Database } from "../../platform/database.ts";
import { findTemplateFault, templateFaultRules } from "../alert-channels/index.ts";
import { holdServices } from "../status-pages/index.ts";
import type { TriggerIncident } from "./alert-settings.ts";

/** What is wrong with the incident that a check is to open; its texts are templates. */
export async function findTriggerFaults(
  db: Database,
  accountId: string,
  trigger: TriggerIncident | null,
): Promise<Fault[]> {
  if (trigger === null) return [];
  // Held, so that whoever deletes it meanwhile is told of this check, or this check of that.
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
