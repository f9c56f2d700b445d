/** A saved view of a list: a name for its filters, sort order and columns. */
export interface SavedView {
  readonly id: number;
  readonly name: string;
  /** The query string of the list, without the question mark. */
  readonly query: string;
  readonly isShared: boolean;
  /** Owner of the view; `null` for a service key. */
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
