/** Where alerts go. The shape of the configuration depends on the type. */
export interface AlertChannel {
  readonly id: number;
  readonly type: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly sendRecovery: boolean;
  readonly sendFailure: boolean;
  readonly sendDegraded: boolean;
  /** Certificates that expire are told here, from so many days before. */
  readonly sslExpiry: boolean;
  readonly sslExpiryThreshold: number;
  readonly autoSubscribe: boolean;
  /** Messages of a storm are sent together. */
  readonly digest: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
  /** Raised by every change; the ETag. */
  readonly version: number;
  /** Why nothing can be sent through it, as a sentence for its owner. */
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
