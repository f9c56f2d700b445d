export interface NewCheckSearch {
  /** The kind to begin with; without one it follows from what is typed. */
  readonly kind?: string;
  /** The check to copy. */
  readonly from?: string;
  readonly tab?: "list";
}

export function parseNewCheckSearch(search: Record<string, unknown>): NewCheckSearch {
  const { kind, from, tab } = search;
  return {
    ...(typeof kind === "string" && { kind }),
    ...(typeof from === "string" && { from }),
    ...(tab === "list" && { tab }),
  };
}
