/** Format of project files: variables, sections and relations. */
import { type ResourceType, resourceTypes } from "../resource.ts";

// Environment variables in texts are written `${NAME}`. `$${` is an escaped `${`.

const marks = /\$\$\{|\$\{([^}]*)\}?/g;
const validName = /^[A-Za-z_][A-Za-z0-9_]*$/;

export type Environment = Readonly<Record<string, string | undefined>>;

interface Filled {
  readonly text: string;
  /** Errors in the text, such as a variable that is not set. */
  readonly faults: readonly string[];
}

/** Replaces the variables in a text with their values. */
export function fillVariables(text: string, environment: Environment): Filled {
  const faults: string[] = [];
  const filled = text.replaceAll(marks, (mark, name: string | undefined) => {
    if (name === undefined) return "${";
    if (!mark.endsWith("}") || !validName.test(name)) {
      faults.push(`contains "${mark}", which is not a variable; write $\${ for the characters \${`);
      return mark;
    }
    const value = environment[name];
    if (value === undefined) faults.push(`needs the variable ${name}, which is not set`);
    return value ?? "";
  });
  return { text: filled, faults };
}

export const writeVariable = (name: string) => `\${${name}}`;

/** Escapes a text so that no part of it is read as a variable. */
export const escapeVariables = (text: string) => text.replaceAll("${", () => "$${");

// A file has one section per resource type. Relations are written inside their check or group.

type RelationType =
  | "alert-channel-subscription"
  | "private-location-check-assignment"
  | "private-location-group-assignment";
export type SectionType = Exclude<ResourceType, RelationType>;

/**
 * A type of resource that files write as list items of its owner, such as the subscriptions of a
 * check.
 */
export interface Relation {
  readonly type: RelationType;
  readonly owner: SectionType;
  readonly field: string;
  /** First part of the relation's logical id, as the public command line generates it. */
  readonly name: string;
  readonly target: SectionType;
  readonly targetField: string;
  readonly ownField: string;
}

const subscription = {
  type: "alert-channel-subscription",
  field: "alertChannelSubscriptions",
  target: "alert-channel",
  targetField: "alertChannelId",
} as const;
const assignment = {
  field: "privateLocations",
  target: "private-location",
  targetField: "privateLocationId",
} as const;
const ofCheck = { owner: "check", ownField: "checkId" } as const;
const ofGroup = { owner: "check-group", ownField: "groupId" } as const;

const relations: readonly Relation[] = [
  { ...subscription, ...ofCheck, name: "check-alert-channel-subscription" },
  { ...subscription, ...ofGroup, name: "check-group-alert-channel-subscription" },
  {
    ...{ ...assignment, ...ofCheck },
    type: "private-location-check-assignment",
    name: "private-location-check-assignment",
  },
  {
    ...{ ...assignment, ...ofGroup },
    type: "private-location-group-assignment",
    name: "private-location-group-assignment",
  },
];

export const relationsOf = (owner: SectionType) => relations.filter((one) => one.owner === owner);

const relationTypes = new Set<ResourceType>(relations.map(({ type }) => type));

export const isSectionType = (type: ResourceType): type is SectionType => !relationTypes.has(type);

/** Finds the relation that a resource represents, by its type and its fields. */
export function findRelation(type: ResourceType, payload: object): Relation | null {
  return relations.find((one) => one.type === type && one.ownField in payload) ?? null;
}

export const sectionOf = (type: SectionType) =>
  type.endsWith("y") ? `${type.slice(0, -1)}ies` : `${type}s`;

/** Returns the resource types, keyed by section name. */
export function listSections(): Map<string, SectionType> {
  return new Map(resourceTypes.filter(isSectionType).map((type) => [sectionOf(type), type]));
}
