import type { IncidentStatus, Severity } from "../incident.ts";

export const maxTemplates = 100;

export interface TemplateUpdate {
  readonly status: IncidentStatus;
  /** Markdown with variables in double braces. */
  readonly description: string;
  readonly notifySubscribers: boolean;
}

/** Prepared texts for recurring incidents and updates. */
export interface TemplateContent {
  /** `null` in a template for updates only. */
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
