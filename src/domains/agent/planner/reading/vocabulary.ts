/** The names that mean something in one account, as the tools have told them so far. */
export interface KnownCheck {
  readonly checkId: string;
  readonly name: string;
  readonly hostname: string;
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

export interface Vocabulary {
  readonly checks: readonly KnownCheck[];
  /** There are more checks than these. */
  readonly isPartial: boolean;
  readonly places: readonly KnownPlace[];
  readonly incidents: readonly KnownIncident[];
}
