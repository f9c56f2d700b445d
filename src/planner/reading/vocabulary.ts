/** Names known in one account, as returned by the tools so far. */
export interface KnownCheck {
  readonly checkId: string;
  readonly name: string;
  /** Its target as people call it: a host, a URL. */
  readonly target: string;
  readonly tags: readonly string[];
}

export interface KnownPlace {
  readonly region: string;
  readonly name: string;
}

export interface KnownIncident {
  readonly incidentId: string;
  readonly name: string;
}

export type ThingKind =
  | "service"
  | "group"
  | "page"
  | "channel"
  | "window"
  | "member"
  | "dashboard"
  | "schedule";

/** A named resource other than a check, a place or an incident. */
export interface KnownThing {
  readonly kind: ThingKind;
  readonly id: string;
  readonly name: string;
  /** Other names of the resource. */
  readonly aliases?: readonly string[];
  /** Checks of a service or a group: a question about it is about these. */
  readonly checkIds: readonly string[];
}

/** The resource on the user's screen: "why is this failing?" */
export interface Focus {
  readonly kind: ThingKind | "check" | "incident";
  readonly id: string;
}

export interface Vocabulary {
  /** How far the user's time zone is ahead of UTC. */
  readonly zoneOffsetMs?: number;
  readonly checks: readonly KnownCheck[];
  /** Whether there are more checks than these. */
  readonly isPartial: boolean;
  readonly places: readonly KnownPlace[];
  readonly incidents: readonly KnownIncident[];
  readonly things: readonly KnownThing[];
}

/** An ambiguous phrase that may be any of several checks. */
export interface Ambiguity {
  readonly phrase: string;
  readonly candidates: readonly KnownCheck[];
}

/** The subject of a question: everything in it that is a name. */
export interface Subject {
  readonly checks: readonly KnownCheck[];
  readonly tags: readonly string[];
  /** Codes of the locations that the question names. */
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
