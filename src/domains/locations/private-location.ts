/** A place of an account's own. Checks name it by its slug. */
export interface PrivateLocation {
  readonly id: string;
  readonly name: string;
  readonly slugName: string;
  readonly icon: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}
