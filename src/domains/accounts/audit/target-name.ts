type Changes = Readonly<Record<string, unknown>>;

/** Fields of `changes` that contain the target's name. */
export const nameFields = ["name", "email", "header", "title"] as const;

/** Returns the target's name from the entry itself; after a rename, the new name. */
export function findNameInChanges(changes: Changes): string | null {
  for (const field of nameFields) {
    const value = changes[field];
    const named = typeof value === "object" && value !== null && "to" in value ? value.to : value;
    if (typeof named === "string" && named !== "") return named;
  }
  return null;
}

/** A session has no name; it is shown under the name of its user. */
export function findOwnName(entry: {
  readonly targetType: string;
  readonly actorName: string;
  readonly changes: Changes;
}): string | null {
  return (
    findNameInChanges(entry.changes) ?? (entry.targetType === "session" ? entry.actorName : null)
  );
}
