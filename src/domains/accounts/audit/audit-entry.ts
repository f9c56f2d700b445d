/** What happened to one thing, by whom, from where. `changes` never holds a secret. */
export interface AuditEntry {
  readonly id: string;
  readonly at: Date;
  readonly actor: { readonly type: string; readonly id: string | null; readonly name: string };
  readonly action: string;
  readonly target: {
    readonly type: string;
    readonly id: string;
    /** `null` if no entry of the log says what it is called. */
    readonly name: string | null;
  };
  readonly changes: Readonly<Record<string, unknown>>;
  readonly address: string | null;
  readonly requestId: string | null;
}

export interface AuditNote {
  /** A noun and what was done to it, such as `api-key.created`. */
  readonly action: string;
  readonly targetId: string;
  readonly changes?: Readonly<Record<string, unknown>>;
}

/** All that are given must match. */
export interface AuditFilter {
  readonly action?: string | undefined;
  readonly actor?: string | undefined;
  readonly targetType?: string | undefined;
  readonly targetId?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly search?: string | undefined;
}
