/** A check of the account, as returned by a tool. */
export interface KnownCheck {
  readonly checkId: string;
  readonly name: string;
  /** Target of the check as users write it, such as `example.com`. */
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

/** A named resource other than a check, a location or an incident. */
export interface KnownThing {
  readonly kind: ThingKind;
  readonly id: string;
  readonly name: string;
  /** Alternative names of the resource. */
  readonly aliases?: readonly string[];
  /** Ids of the checks that belong to the service or group; empty for other kinds. */
  readonly checkIds: readonly string[];
}

/** The resource on the user's screen. "this" in "why is this failing?" refers to it. */
export interface Focus {
  readonly kind: ThingKind | "check" | "incident";
  readonly id: string;
}

export interface Vocabulary {
  /** Offset of the user's time zone from UTC; positive east of Greenwich. */
  readonly zoneOffsetMs?: number;
  readonly checks: readonly KnownCheck[];
  /** Whether `checks` contains only some of the account's checks. */
  readonly isPartial: boolean;
  readonly places: readonly KnownPlace[];
  readonly incidents: readonly KnownIncident[];
  readonly things: readonly KnownThing[];
}

/** A phrase that matches several checks equally well. */
export interface Ambiguity {
  readonly phrase: string;
  readonly candidates: readonly KnownCheck[];
}

/** Subject of a question: the resources, tags and ids that the question names. */
export interface Subject {
  readonly checks: readonly KnownCheck[];
  readonly tags: readonly string[];
  /** Codes of the locations that the question names. */
  readonly places: readonly string[];
  readonly incidents: readonly KnownIncident[];
  /**
   * Named resources other than checks, locations and incidents, such as services and pages. If a
   * service or group is named, `checks` also contains the checks that belong to it, up to a limit.
   */
  readonly things: readonly KnownThing[];
  /** Resources that have the same name as the subject but are not meant. */
  readonly namesakes: readonly KnownThing[];
  /** UUIDs in the question that belong to no known check or incident. */
  readonly ids: readonly string[];
  readonly ambiguities: readonly Ambiguity[];
  /** Words that match no known name. */
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

/**
 * Canonical word that replaces a name or an unknown word before the topic rules are applied; `null`
 * for all other words.
 */
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
