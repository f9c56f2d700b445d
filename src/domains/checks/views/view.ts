/** A list as somebody wants to see it again: a name for its filters, sort and columns. */
export interface SavedView {
  readonly id: number;
  readonly name: string;
  /** The query of the list, without the question mark. */
  readonly query: string;
  readonly isShared: boolean;
  /** Whose it is; null: a key's that belongs to no person. */
  readonly userId: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

export interface ViewInput {
  readonly name?: string | undefined;
  readonly query?: string | undefined;
  readonly shared?: boolean | undefined;
}

export const maxSharedViews = 100;
export const maxOwnViews = 50;
