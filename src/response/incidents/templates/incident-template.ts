import { formatDate, formatDateTime } from "../../../platform/dates.ts";
import { invalid } from "../../../platform/errors.ts";
import { tagContent } from "../../../platform/http/send.ts";
import { fillTemplate, listTemplateNames } from "../../../platform/text/template.ts";
import type { Service } from "../../../sites/status-pages/index.ts";
import {
  findDateFault,
  type IncidentInput,
  type IncidentStatus,
  maxDescriptionLength,
  maxNameLength,
  type Severity,
  type UpdateInput,
} from "../incident.ts";

export const maxTemplates = 100;

interface TemplateUpdate {
  readonly status: IncidentStatus;
  /** Text of the update in Markdown, with variables in double braces. */
  readonly description: string;
  readonly notifySubscribers: boolean;
}

/** Prepared texts for recurring incidents and their updates. */
export interface TemplateContent {
  /** Name of the incident; `null` in a template that is only for updates. */
  readonly incidentName: string | null;
  readonly severity: Severity | null;
  readonly serviceIds: readonly string[];
  readonly updates: readonly TemplateUpdate[];
}

export interface TemplateInput extends TemplateContent {
  readonly name: string;
}

export interface IncidentTemplate extends TemplateInput {
  readonly id: string;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** Returns the ETag of a template. The ETag changes with every field that a request can set. */
export function tagTemplate(template: TemplateInput): string {
  const { name, incidentName, severity, serviceIds, updates } = template;
  return tagContent([name, incidentName, severity, serviceIds, updates]);
}

interface Filling {
  readonly templateId?: string | undefined;
  readonly variables: ReadonlyMap<string, string>;
}

/** An update in a request. Omitted fields come from the template or from defaults. */
export interface UpdateRequest extends Filling {
  readonly status?: IncidentStatus | undefined;
  readonly description?: string | undefined;
  readonly publicAt?: Date | undefined;
  readonly notifySubscribers?: boolean | undefined;
}

export interface IncidentRequest extends Filling {
  readonly name?: string | undefined;
  readonly severity?: Severity | undefined;
  readonly serviceIds?: readonly string[] | undefined;
  /**
   * Status for the entries of `updates` that contain no status. If `updates` is absent, the first
   * update with this status in the template is used.
   */
  readonly status?: IncidentStatus | undefined;
  readonly updates?: readonly UpdateRequest[] | undefined;
}

/** Data from which a template is filled in. */
interface Circumstances {
  readonly template: IncidentTemplate | null;
  readonly services: readonly Service[];
  readonly now: Date;
}

interface Field {
  /** Name of the field in the API, for error messages. */
  readonly key: string;
  readonly maxLength: number;
}

function fillText(text: string, values: ReadonlyMap<string, string>, field: Field): string {
  const missing = listTemplateNames(text).find((name) => !values.has(name));
  if (missing !== undefined) throw invalid(`variables.${missing}`, "is required by the template");
  const filled = fillTemplate(text, values);
  if (filled.kind === "too-large" || [...filled.text].length > field.maxLength) {
    const rule = `must have at most ${field.maxLength} characters once the template is filled in`;
    throw invalid(field.key, rule);
  }
  // Reject an empty text, which can result from variables with empty values.
  if (filled.text.trim() === "")
    throw invalid(field.key, "is empty once the template is filled in");
  return filled.text;
}

/** Names of the variables that get their values automatically. */
const builtInNames = new Set(["services", "severity", "date", "time"]);

/** Lists the variables that the user of the template must supply. */
export function listRequiredVariables({ incidentName, updates }: TemplateContent): string[] {
  const texts = [incidentName ?? "", ...updates.map(({ description }) => description)];
  const names = new Set(texts.flatMap((text) => listTemplateNames(text)));
  return [...names].filter((name) => !builtInNames.has(name));
}

/**
 * Returns the values of all variables. Values in the request override built-in values. A request
 * can, for example, contain the date in another time zone.
 */
function listValues(
  filling: Filling,
  known: { readonly severity: Severity; readonly services: readonly Service[]; readonly at: Date },
): ReadonlyMap<string, string> {
  return new Map([
    ["services", known.services.map(({ name }) => name).join(", ")],
    ["severity", known.severity],
    ["date", formatDate(known.at)],
    ["time", formatDateTime(known.at).slice(11, 16)],
    ...filling.variables,
  ]);
}

/** Returns the first update of a template, or the first one with the given status. */
function pickUpdate(
  { updates }: IncidentTemplate,
  status: IncidentStatus | undefined,
  key: string,
): TemplateUpdate {
  const found = updates.find((update) => status === undefined || update.status === status);
  if (found === undefined) throw invalid(key, `is not a status of one of the template's updates`);
  return found;
}

function checkDate(publicAt: Date, now: Date, key: string): Date {
  const fault = findDateFault(publicAt, now);
  if (fault !== null) throw invalid(key, fault);
  return publicAt;
}

/**
 * Fills in an update of an incident. If neither the request nor the template contains a status,
 * `usualStatus` returns the status for the public date of the update.
 */
export function fillUpdate(
  request: UpdateRequest,
  circumstances: Circumstances & { readonly severity: Severity },
  usualStatus: (at: Date) => IncidentStatus,
): UpdateInput {
  const { template, severity, services, now } = circumstances;
  const at = checkDate(request.publicAt ?? now, now, "publicIncidentUpdateDate");
  const words = template && pickUpdate(template, request.status, "status");
  const field = { key: "description", maxLength: maxDescriptionLength };
  const values = listValues(request, { severity, services, at });
  const description = request.description ?? fillText(words?.description ?? "", values, field);
  return {
    status: request.status ?? words?.status ?? usualStatus(at),
    description,
    publicAt: at,
    notifySubscribers: request.notifySubscribers ?? words?.notifySubscribers ?? false,
  };
}

function fillFirstUpdates(
  request: IncidentRequest,
  circumstances: Circumstances & { readonly severity: Severity },
): UpdateInput[] {
  const { template, severity, services, now } = circumstances;
  if (request.updates !== undefined) {
    return request.updates.map((update, index) => {
      const key = `incidentUpdates.${index}.publicIncidentUpdateDate`;
      return {
        status: update.status ?? request.status ?? "INVESTIGATING",
        description: update.description ?? "",
        publicAt: checkDate(update.publicAt ?? now, now, key),
        notifySubscribers: update.notifySubscribers ?? false,
      };
    });
  }
  if (template === null) throw invalid("incidentUpdates", "is required");
  const words = pickUpdate(template, request.status, "lastUpdateStatus");
  const values = listValues(request, { severity, services, at: now });
  const field = { key: "incidentUpdates", maxLength: maxDescriptionLength };
  return [{ ...words, description: fillText(words.description, values, field), publicAt: now }];
}

/** Fills in an incident. Fields that the request omits come from the template. */
export function fillIncident(
  request: IncidentRequest,
  circumstances: Circumstances,
): Omit<IncidentInput, "serviceIds"> {
  const { template, services, now } = circumstances;
  const severity = request.severity ?? template?.severity ?? null;
  if (severity === null) throw invalid("severity", "is required");
  const words = template?.incidentName ?? null;
  if (request.name === undefined && words === null) throw invalid("name", "is required");
  const values = listValues(request, { severity, services, at: now });
  const field = { key: "name", maxLength: maxNameLength };
  return {
    name: request.name ?? fillText(words ?? "", values, field),
    severity,
    updates: fillFirstUpdates(request, { ...circumstances, severity }),
  };
}
