import { type TString, Type } from "typebox";
import { OneOf } from "../../../platform/http/schema.ts";

/** Parameters that several tools have. A thing may be named by its id or by its name. */

const named = (description: string): TString =>
  Type.String({ minLength: 1, maxLength: 255, description });

export const CheckReference = named("The check: its id, or its name.");
export const GroupReference = named("Only checks of this group: its id, or its name.");
export const ServiceReference = named("Only what concerns this service: its id, or its name.");
export const IncidentReference = named("The incident: its id, or its name.");
export const ChannelReference = named("The alert channel: its id, or whom it reaches (#on-call).");
export const LocationReference = named("A place: its region (eu-central-1) or name (Frankfurt).");
export const NamePart = named("A part of the name; upper and lower case are the same.");
export const Tag = named("Only checks with this tag.");

export function CheckReferences(maxItems: number) {
  const description = `The checks, each by its id or its name; at most ${maxItems}.`;
  return Type.Array(CheckReference, { minItems: 1, maxItems, description });
}

export function StatusFilter(description: string) {
  return { ...OneOf(["passing", "degraded", "failing", "unknown"]), description };
}

export function Limit(maximum: number, usual: number) {
  const description = `How many at most, from 1 to ${maximum}; ${usual} if not given.`;
  return Type.Integer({ minimum: 1, maximum, description });
}
