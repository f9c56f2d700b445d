/** The names that mean something in one account, as the tools have told them so far. */
export interface KnownCheck {
  readonly checkId: string;
  readonly name: string;
  /** What it watches, as people call it: a host, a URL. */
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
  | "dashboard";

/** What has a name beside checks, places and incidents. */
export interface KnownThing {
  readonly kind: ThingKind;
  readonly id: string;
  readonly name: string;
  /** What else people call it. */
  readonly aliases?: readonly string[];
  /** Of a service or a group: a question about it is one about these. */
  readonly checkIds: readonly string[];
}

/** What somebody looks at while they ask: "why is this failing?" */
export interface Focus {
  readonly kind: ThingKind | "check" | "incident";
  readonly id: string;
}

export interface Vocabulary {
  /** How far the clock of whoever asks is ahead of UTC. */
  readonly zoneOffsetMs?: number;
  readonly checks: readonly KnownCheck[];
  /** There are more checks than these. */
  readonly isPartial: boolean;
  readonly places: readonly KnownPlace[];
  readonly incidents: readonly KnownIncident[];
  readonly things: readonly KnownThing[];
}
