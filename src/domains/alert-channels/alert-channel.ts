/** A destination of alerts. The shape of `config` depends on the type. */
export interface AlertChannel {
  readonly id: number;
  readonly type: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly sendRecovery: boolean;
  readonly sendFailure: boolean;
  readonly sendDegraded: boolean;
  /** Whether expiring certificates are reported here, and how many days before expiry. */
  readonly sslExpiry: boolean;
  readonly sslExpiryThreshold: number;
  readonly autoSubscribe: boolean;
  /** Whether many messages within a minute are combined into one. */
  readonly digest: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
  /** Incremented by every change; used as the ETag. */
  readonly version: number;
  /** Why the channel cannot send, as a sentence for its owner. */
  readonly problem?: string | null;
}

/** A check or a group whose alerts go to a channel. */
export interface Subscription {
  readonly id: number;
  readonly alertChannelId: number;
  readonly checkId: string | null;
  readonly groupId: number | null;
  readonly activated: boolean;
}
