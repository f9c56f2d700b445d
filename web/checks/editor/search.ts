export interface NewCheckSearch {
  /** Initial check type. If missing, it is detected from the target. */
  readonly kind?: string;
  /** Id of the check to copy. */
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
