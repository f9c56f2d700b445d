import type { KnownCheck, KnownIncident, KnownThing, ThingKind } from "./vocabulary.ts";

/** A phrase that may be any of several checks. */
export interface Doubt {
  readonly phrase: string;
  readonly candidates: readonly KnownCheck[];
}

/** What a question is about: everything in it that is a name. */
export interface Subject {
  readonly checks: readonly KnownCheck[];
  readonly tags: readonly string[];
  /** Codes of places. */
  readonly places: readonly string[];
  readonly incidents: readonly KnownIncident[];
  /** Services and groups, whose checks are among `checks`; pages, channels and so on. */
  readonly things: readonly KnownThing[];
  /** Things of other kinds that have the name of what is meant. */
  readonly namesakes: readonly KnownThing[];
  /** Ids that stand in the question and are no check or incident known so far. */
  readonly ids: readonly string[];
  readonly doubts: readonly Doubt[];
  /** Phrases that name nothing that is known. */
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
  doubts: [],
  unknown: [],
};

/** What stands in the place of each word for the rules that read the topic. */
export type Mark =
  | "NAME"
  | "SCOPE"
  | "PAGENAME"
  | "CHANNELNAME"
  | "WINDOWNAME"
  | "MEMBERNAME"
  | "DASHBOARDNAME"
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
};
