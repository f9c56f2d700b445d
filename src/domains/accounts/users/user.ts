export interface User {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
}

export interface UserWithPassword extends User {
  /** Null until they choose one. */
  readonly passwordHash: string | null;
}
