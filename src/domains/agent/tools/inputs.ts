import { type TString, Type } from "typebox";
import { OneOf } from "../../../platform/http/schema.ts";

/** Parameters shared by several tools. Objects are given by id or by name. */

const named = (description: string): TString =>
  Type.String({ minLength: 1, maxLength: 255, description });

export const CheckReference = named("The check: its id or name.");
export const GroupReference = named("Only checks of this group: its id or name.");
export const ServiceReference = named("Only entries of this service: its id or name.");
export const IncidentReference = named("The incident: its id or name.");
export const ChannelReference = named("The alert channel: its id or recipient (#on-call).");
export const LocationReference = named(
  "A location: its region (eu-central-1) or name (Frankfurt).",
);
export const NamePart = named("Part of the name, ignoring case.");
export const Tag = named("Only checks with this tag.");

export function CheckReferences(maxItems: number) {
  const description = `The checks, by id or name; at most ${maxItems}.`;
  return Type.Array(CheckReference, { minItems: 1, maxItems, description });
}

export function StatusFilter(description: string) {
  return { ...OneOf(["passing", "degraded", "failing", "unknown"]), description };
}

export function Limit(maximum: number, usual: number) {
  const description = `Maximum number of entries, 1 to ${maximum}; default ${usual}.`;
  return Type.Integer({ minimum: 1, maximum, description });
}
