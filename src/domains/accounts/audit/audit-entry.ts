/**
 * Records one change: the action, its target, who made it and from where. `changes` never contains
 * a secret.
 */
export interface AuditEntry {
  readonly id: string;
  readonly at: Date;
  readonly actor: { readonly type: string; readonly id: string | null; readonly name: string };
  readonly action: string;
  readonly target: {
    readonly type: string;
    readonly id: string;
    /** `null` if no entry of the log contains the target's name. */
    readonly name: string | null;
  };
  readonly changes: Readonly<Record<string, unknown>>;
  readonly address: string | null;
  readonly requestId: string | null;
}

export interface AuditNote {
  /** Noun and past participle, such as `api-key.created`. */
  readonly action: string;
  readonly targetId: string;
  readonly changes?: Readonly<Record<string, unknown>>;
}

/** Filters for audit entries; an entry must match all of them. */
export interface AuditFilter {
  readonly action?: string | undefined;
  readonly actor?: string | undefined;
  readonly targetType?: string | undefined;
  readonly targetId?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly search?: string | undefined;
}
