import { clipText, toShortLine } from "../../../platform/text/clip.ts";
import { type AlertMessage, renderTemplate } from "../../alert-channels/index.ts";
import type { TriggerIncident } from "../../checks/index.ts";
import type { Alert } from "../alert-decision.ts";
import { type AlertRules, findHold } from "../alert-rules.ts";
import { type AlertState, findAlertedPhase, isAlertCurrent } from "../alert-state.ts";

/** How an alert affects the automatic incident of its check. */
export type IncidentVerdict =
  | { readonly kind: "open"; readonly trigger: TriggerIncident }
  | { readonly kind: "resolve"; readonly trigger: TriggerIncident }
  | { readonly kind: "leave"; readonly reason: "not-configured" | "repeat" | "no-failure" };

/**
 * Only failures open an incident, whether or not the check was degraded before. Missing data and
 * degraded runs open none, and an improvement to degraded does not resolve one.
 */
export function decideIncident(
  alert: Pick<Alert, "kind" | "reason" | "isReminder">,
  trigger: TriggerIncident | null,
): IncidentVerdict {
  if (trigger === null) return { kind: "leave", reason: "not-configured" };
  if (alert.isReminder || alert.reason === "escalation-stage-due") {
    return { kind: "leave", reason: "repeat" };
  }
  switch (alert.kind) {
    case "ALERT_FAILURE":
    case "ALERT_DEGRADED_FAILURE":
      return { kind: "open", trigger };
    case "ALERT_RECOVERY":
    case "ALERT_DEGRADED_RECOVERY":
      return { kind: "resolve", trigger };
    default:
      return { kind: "leave", reason: "no-failure" };
  }
}

/** What to do with an incident that could not be opened or resolved together with its alert. */
export type OwedVerdict = "do" | "wait" | "drop";

export function decideOwed(
  owed: { readonly action: "OPEN" | "RESOLVE"; readonly alertNumber: number },
  state: AlertState | undefined,
  now: { readonly atMs: number; readonly rules: AlertRules },
): OwedVerdict {
  if (state === undefined || state.alertNumber !== owed.alertNumber) return "drop";
  if (owed.action === "RESOLVE") return state.alertedKind === null ? "do" : "drop";
  if (state.alertedKind === null) return "drop";
  // A check that improved or stopped reporting may fail again under the same alert number.
  const isFailing = findAlertedPhase(state) === "failing" && isAlertCurrent(state);
  const isHeld = findHold(now.rules, [now.atMs]) !== null || state.isFlapping;
  return isFailing && !isHeld ? "do" : "wait";
}

const maxNameLength = 255;
const maxDescriptionLength = 20_000;

export interface IncidentText {
  readonly name: string;
  readonly description: string;
}

/** Falls back to the text of the alert if the template renders to an empty string. */
export function writeIncidentText(
  trigger: Pick<TriggerIncident, "name" | "description">,
  message: AlertMessage,
): IncidentText {
  const name = renderTemplate(trigger.name, message, "plain");
  const shortName = toShortLine(name.kind === "rendered" ? name.text : "", maxNameLength);
  const description = renderTemplate(trigger.description, message, "markdown");
  const body = description.kind === "rendered" ? description.text.trim() : "";
  return {
    name: shortName === "" ? toShortLine(message.title, maxNameLength) : shortName,
    description: clipText(body === "" ? message.reason : body, maxDescriptionLength),
  };
}

/** Public text, so it does not contain the name of the check, which may be private. */
export const resolvedDescription = "The problem is resolved: the checks pass again.";
