export interface User {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
}

/** Of a first start without BOOTSTRAP_EMAIL: no mail reaches a name below `localhost`. */
export function isPlaceholderEmail(email: string): boolean {
  return /@(?:.+\.)?localhost$/i.test(email);
}

export interface UserWithPassword extends User {
  /** Raised by every change of what the person signs in with. */
  readonly credentialVersion: number;
  /** Whether the holder of this user is known to own the email address. */
  readonly isEmailProven: boolean;
  /** Null until they choose one. */
  readonly passwordHash: string | null;
}
