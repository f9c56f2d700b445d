export interface User {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
}

export interface UserWithPassword extends User {
  readonly passwordHash: string;
}
