export interface Passkey {
  readonly id: string;
  readonly name: string;
  /** The host name it was made for; it works at no other. */
  readonly host: string;
  readonly isSynced: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/** With what is needed to check its answers. */
export interface PasskeyWithKey extends Passkey {
  readonly userId: string;
  readonly credentialId: string;
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly transports: readonly string[];
}

export const maxPasskeysPerUser = 20;
