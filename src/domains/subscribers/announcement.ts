/** Something to tell the subscribers of some services, once. */
export interface Announcement {
  /** What it is about, such as an incident's update: the same source is never told twice. */
  readonly sourceId: string;
  readonly kind: "incident" | "maintenance";
  readonly title: string;
  /** As the API spells it, such as `INVESTIGATING` or `IN_PROGRESS`. */
  readonly status: string;
  readonly severity: string | null;
  /** Markdown, as it was typed. */
  readonly body: string;
  readonly serviceIds: readonly string[];
  /** In the order of `serviceIds`. */
  readonly serviceNames: readonly string[];
  readonly incidentId: string | null;
  /** When it is told; whoever confirmed a subscription later is not told. */
  readonly at: Date;
  /** Empty or absent: every page that shows one of the services. */
  readonly statusPageIds?: readonly string[];
}
