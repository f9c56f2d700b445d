import type { Role } from "./role.ts";

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** An account as one of its members sees it. */
export interface OwnAccount extends Account {
  readonly role: Role;
}
