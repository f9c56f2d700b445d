/**
 * What a dashboard shows, ready to be written: no clock, no database, no setting left to look up.
 */

export const shownStatuses = ["failing", "degraded", "unknown", "passing"] as const;
export type ShownStatus = (typeof shownStatuses)[number];

export interface StepView {
  readonly avgMs: number | null;
  readonly runs: number;
  readonly degraded: number;
  readonly failing: number;
}

/** Response time over the last day, the oldest first; of a young check, over its first hours. */
export interface LineView {
  readonly steps: readonly StepView[];
  readonly stepMinutes: number;
  /** Whether it has run at any time. */
  readonly hasRun: boolean;
}

export interface StatsView {
  /** Result of `formatAvailability`, such as `99.98 %` or `no data`. */
  readonly availability: string;
  readonly avgMs: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
}

export interface PlaceView {
  readonly location: string;
  readonly status: ShownStatus;
  /** Null where the place has not been heard of. */
  readonly lastRunAt: Date | null;
  readonly day: StatsView;
}

export interface CheckView {
  readonly id: string;
  readonly name: string;
  readonly groupName: string | null;
  readonly tags: readonly string[];
  readonly status: ShownStatus;
  /** Null before the first run. */
  readonly since: Date | null;
  /** Where the last run can be read; null without one, or where links are not wanted. */
  readonly runUrl: string | null;
  readonly line: LineView;
  readonly day: StatsView;
  readonly week: StatsView;
  readonly places: readonly PlaceView[];
}

export interface IncidentView {
  readonly name: string;
  readonly severity: string;
  readonly status: string;
  readonly startedAt: Date;
  readonly services: readonly string[];
  /** The newest update, as plain text. */
  readonly latest: string;
}

export interface DashboardView {
  readonly asOf: Date;
  /** Whatever of the page is not the view; when it changes, an open page reloads itself. */
  readonly shell: string;
  readonly page: number;
  readonly pages: number;
  /** How many checks share the height of a screen. */
  readonly rows: number;
  readonly isTiled: boolean;
  readonly counts: Readonly<Record<ShownStatus, number>>;
  /** Whether tags choose what is shown. */
  readonly isChosen: boolean;
  /** Checks beyond what a dashboard can hold. */
  readonly left: number;
  readonly attention: readonly Pick<CheckView, "id" | "name" | "status" | "since">[];
  /** Null where they are not wanted. */
  readonly incidents: readonly IncidentView[] | null;
  readonly checks: readonly CheckView[];
  readonly isExpanded: boolean;
  readonly paginates: boolean;
  readonly showTags: boolean;
  readonly showGroupNames: boolean;
  readonly showRunLinks: boolean;
  readonly showP95: boolean;
  readonly showP99: boolean;
}

export interface ShellView {
  /** Where the page's own links begin; ends with a slash. */
  readonly basePath: string;
  readonly header: string;
  readonly description: string | null;
  readonly showsHeader: boolean;
  readonly logoUrl: string | null;
  readonly faviconUrl: string | null;
  readonly link: string | null;
  readonly isWide: boolean;
  readonly isPrivate: boolean;
  readonly refreshSeconds: number;
  readonly paginationSeconds: number;
  /** The server's clock, which the page counts from. */
  readonly nowMs: number;
  /** Before it is saved it is drawn for one theme and stands still; null: the real page. */
  readonly preview: "light" | "dark" | null;
  /** Null without a style sheet of the owner's. */
  readonly customCssUrl: string | null;
}
