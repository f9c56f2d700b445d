export interface User {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
}

/**
 * Returns whether this is the placeholder of a first start without BOOTSTRAP_EMAIL: no mail reaches
 * a name below `localhost`.
 */
export function isPlaceholderEmail(email: string): boolean {
  return /@(?:.+\.)?localhost$/i.test(email);
}

export interface UserWithPassword extends User {
  /** Incremented whenever the user's sign-in credentials change. */
  readonly credentialVersion: number;
  /** Whether the user is verified to own the email address. */
  readonly isEmailProven: boolean;
  /** `null` until the user chooses one. */
  readonly passwordHash: string | null;
}
