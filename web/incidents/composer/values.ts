/** Form values of an incident or update, and the requests built from these values. */
import type { components } from "../../api/schema.d.ts";
import type { IncidentStatus, Severity } from "../search.ts";

type UpdateChange = components["schemas"]["IncidentUpdateChange"];

export interface Composition {
  readonly name: string;
  readonly severity: Severity;
  readonly serviceIds: readonly string[];
  readonly status: IncidentStatus;
  readonly description: string;
  readonly when: "now" | "past";
  /** Start as the value of a `datetime-local` field, which is a local time without a time zone. */
  readonly startedAt: string;
  readonly endedAt: string;
  readonly endText: string;
  readonly templateId: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Whether subscribers are notified; off until the user turns it on. */
  readonly notify: boolean;
}

export const emptyComposition: Composition = {
  name: "",
  severity: "MAJOR",
  serviceIds: [],
  status: "INVESTIGATING",
  description: "",
  when: "now",
  startedAt: "",
  endedAt: "",
  endText: "",
  templateId: "",
  variables: {},
  notify: false,
};

/** Converts a `datetime-local` value to an ISO timestamp; `undefined` if it is empty or invalid. */
export function toIsoTime(text: string): string | undefined {
  const at = new Date(text);
  return text === "" || Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** Formats a time as the value of a `datetime-local` field. */
export function toLocalText(moment: string | number): string {
  const at = new Date(moment);
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

export function toUpdate(composition: Composition): UpdateChange {
  const { status, description, when, startedAt, notify } = composition;
  const at = when === "past" ? toIsoTime(startedAt) : undefined;
  return {
    status,
    description,
    ...(at !== undefined && { publicIncidentUpdateDate: at }),
    notifySubscribers: notify,
  };
}

/**
 * Builds the request that creates an incident. An incident that has already ended gets two updates,
 * and subscribers are notified only about the second update.
 */
export function toIncident(composition: Composition, defaultEnd: string) {
  const { name, severity, serviceIds, when, endedAt, endText, notify } = composition;
  const first = toUpdate(composition);
  const end = when === "past" ? toIsoTime(endedAt) : undefined;
  const last: UpdateChange | null =
    end === undefined
      ? null
      : {
          status: "RESOLVED",
          description: endText.trim() === "" ? defaultEnd : endText,
          publicIncidentUpdateDate: end,
          notifySubscribers: notify,
        };
  return {
    name,
    severity,
    services: serviceIds.map((id) => ({ id })),
    incidentUpdates: last === null ? [first] : [{ ...first, notifySubscribers: false }, last],
  };
}

/** Whether the form has enough input for a preview. */
export function isDrawable({ name, serviceIds, description }: Composition): boolean {
  return name.trim() !== "" && serviceIds.length > 0 && description.trim() !== "";
}
