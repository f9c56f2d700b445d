/** Form values of an incident template, and the request built from these values. */
import type { IncidentTemplate } from "./queries.ts";
import type { IncidentStatus, Severity } from "./search.ts";
import { templateWords, words } from "./words.ts";

export interface TemplateUpdateValues {
  /** React key of the update, because updates of a template have no id. */
  readonly key: number;
  readonly status: IncidentStatus;
  readonly description: string;
}

export interface TemplateValues {
  readonly name: string;
  readonly incidentName: string;
  readonly severity: Severity | "";
  readonly serviceIds: readonly string[];
  readonly updates: readonly TemplateUpdateValues[];
}

export const newTemplate: TemplateValues = {
  name: "",
  incidentName: "",
  severity: "",
  serviceIds: [],
  updates: [{ key: 0, status: "INVESTIGATING", description: "" }],
};

export function toValues(template: IncidentTemplate): TemplateValues {
  return {
    name: template.name,
    incidentName: template.incidentName ?? "",
    severity: template.severity ?? "",
    serviceIds: template.serviceIds,
    updates: template.updates.map(({ status, description }, key) => ({ key, status, description })),
  };
}

/**
 * Builds the request body. Updates of a template do not notify subscribers, because users decide
 * this when they post an update.
 */
export function toBody(values: TemplateValues) {
  const { name, incidentName, severity, serviceIds, updates } = values;
  return {
    name,
    incidentName: incidentName.trim() === "" ? null : incidentName,
    severity: severity === "" ? null : severity,
    serviceIds: [...serviceIds],
    updates: updates.map(({ status, description }) => ({
      status,
      description,
      notifySubscribers: false,
    })),
  };
}

export function addUpdate(values: TemplateValues): TemplateValues {
  const key = Math.max(-1, ...values.updates.map((update) => update.key)) + 1;
  return { ...values, updates: [...values.updates, { key, status: "RESOLVED", description: "" }] };
}

const isUpdates = (path: string, value: unknown): value is readonly TemplateUpdateValues[] =>
  path === "updates" && Array.isArray(value);

/** Formats a value for the conflict panel; `undefined` if the value needs no special format. */
export function formatTemplateValue(
  path: string,
  value: unknown,
  serviceNames: ReadonlyMap<string, string>,
): string | undefined {
  if (isUpdates(path, value)) {
    const texts = value.map(
      ({ status, description }) => `${words.statuses[status]}: ${description}`,
    );
    return texts.join(" · ");
  }
  if (path === "serviceIds" && Array.isArray(value) && value.length > 0) {
    return value.map((id) => serviceNames.get(id) ?? id).join(", ");
  }
  if (path !== "severity") return undefined;
  return value === "" ? templateWords.anySeverity : words.severities[value as Severity];
}
