export interface User {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
}

export interface UserWithPassword extends User {
  /** Raised by every change of what the person signs in with. */
  readonly credentialVersion: number;
  /** Whether the holder of this user is known to own the email address. */
  readonly isEmailProven: boolean;
  /** Null until they choose one. */
  readonly passwordHash: string | null;
}
