type Unparsed = Readonly<Partial<Record<"kind" | "from" | "tab", unknown>>>;

export interface NewCheckSearch {
  /** Initial check type. If missing, the editor detects the type from the target. */
  readonly kind?: string;
  /** Id of the check to copy. */
  readonly from?: string;
  readonly tab?: "list";
}

export function parseNewCheckSearch({ kind, from, tab }: Unparsed): NewCheckSearch {
  return {
    ...(typeof kind === "string" && { kind }),
    ...(typeof from === "string" && { from }),
    ...(tab === "list" && { tab }),
  };
}
