export interface LinkPlace {
  readonly basePath: string;
  readonly snapshotAt: Date | null;
}

/** A web server may not support index files or add extensions, so links in snapshots name files. */
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
