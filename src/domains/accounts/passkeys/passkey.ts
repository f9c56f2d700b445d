export interface Passkey {
  readonly id: string;
  readonly name: string;
  /** Host name the passkey was created for; it works on no other host. */
  readonly host: string;
  readonly isSynced: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/** A passkey with the data needed to verify its signatures. */
export interface PasskeyWithKey extends Passkey {
  readonly userId: string;
  readonly credentialId: string;
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly transports: readonly string[];
}

export const maxPasskeysPerUser = 20;
