type Changes = Readonly<Record<string, unknown>>;

/** Fields of changes that say what the target is called. */
export const nameFields = ["name", "email", "header", "title"] as const;

/** What an entry itself calls its target; after a change, by the new name. */
export function findNameInChanges(changes: Changes): string | null {
  for (const field of nameFields) {
    const value = changes[field];
    const named = typeof value === "object" && value !== null && "to" in value ? value.to : value;
    if (typeof named === "string" && named !== "") return named;
  }
  return null;
}

/** A session belongs to whoever acts with it. */
export function findOwnName(entry: {
  readonly targetType: string;
  readonly actorName: string;
  readonly changes: Changes;
}): string | null {
  return (
    findNameInChanges(entry.changes) ?? (entry.targetType === "session" ? entry.actorName : null)
  );
}
