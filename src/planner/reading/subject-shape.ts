import type { KnownCheck, KnownIncident, KnownThing, ThingKind } from "./vocabulary.ts";

/** An ambiguous phrase that may be any of several checks. */
export interface Ambiguity {
  readonly phrase: string;
  readonly candidates: readonly KnownCheck[];
}

/** The subject of a question: everything in it that is a name. */
export interface Subject {
  readonly checks: readonly KnownCheck[];
  readonly tags: readonly string[];
  /** Codes of places. */
  readonly places: readonly string[];
  readonly incidents: readonly KnownIncident[];
  /** Services and groups, whose checks are in `checks`; pages, channels and so on. */
  readonly things: readonly KnownThing[];
  /** Resources of other kinds with the same name. */
  readonly namesakes: readonly KnownThing[];
  /** Ids in the question that are not a known check or incident. */
  readonly ids: readonly string[];
  readonly ambiguities: readonly Ambiguity[];
  /** Phrases that match no known name. */
  readonly unknown: readonly string[];
}

export const emptySubject: Subject = {
  checks: [],
  tags: [],
  places: [],
  incidents: [],
  things: [],
  namesakes: [],
  ids: [],
  ambiguities: [],
  unknown: [],
};

/** Mark that replaces each word for the topic rules. */
export type Mark =
  | "NAME"
  | "SCOPE"
  | "PAGENAME"
  | "CHANNELNAME"
  | "WINDOWNAME"
  | "MEMBERNAME"
  | "DASHBOARDNAME"
  | "SCHEDULENAME"
  | "PLACE"
  | "TAGNAME"
  | "INCIDENTNAME"
  | "SOMETHING"
  | null;

export const thingMarks: Readonly<Record<ThingKind, Mark>> = {
  service: "SCOPE",
  group: "SCOPE",
  page: "PAGENAME",
  channel: "CHANNELNAME",
  window: "WINDOWNAME",
  member: "MEMBERNAME",
  dashboard: "DASHBOARDNAME",
  schedule: "SCHEDULENAME",
};
