/** What of a look decides where its links lead. */
export interface LinkPlace {
  readonly basePath: string;
  readonly snapshotAt: Date | null;
}

/** Whatever serves a snapshot may know no index files and add no endings: links name files. */
export function linkToHome({ basePath, snapshotAt }: LinkPlace): string {
  return snapshotAt === null ? basePath : `${basePath}index.html`;
}

export function linkToHistory({ basePath, snapshotAt }: LinkPlace, month?: string): string {
  if (snapshotAt !== null) return `${basePath}history/${month ?? "index"}.html`;
  return month === undefined ? `${basePath}history` : `${basePath}history/${month}`;
}

export function linkToIncident({ basePath, snapshotAt }: LinkPlace, id: string): string {
  return `${basePath}incidents/${id}${snapshotAt === null ? "" : ".html"}`;
}
