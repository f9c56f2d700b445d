/** Data of a dashboard, ready for rendering. Rendering needs no clock, database or settings. */

export const shownStatuses = ["failing", "degraded", "unknown", "passing"] as const;
export type ShownStatus = (typeof shownStatuses)[number];

export interface StepView {
  readonly avgMs: number | null;
  readonly runs: number;
  readonly degraded: number;
  readonly failing: number;
}

/** Response times of the last day or, for a new check, since its first run. Oldest first. */
export interface LineView {
  readonly steps: readonly StepView[];
  readonly stepMinutes: number;
  /** Whether the check has ever run. */
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
  /** Time of the last run from this location; `null` if the location has not run the check yet. */
  readonly lastRunAt: Date | null;
  readonly day: StatsView;
}

export interface CheckView {
  readonly id: string;
  readonly name: string;
  readonly groupName: string | null;
  readonly tags: readonly string[];
  readonly status: ShownStatus;
  /** Start of the current state; `null` before the first run. */
  readonly since: Date | null;
  /** URL of the last run; `null` if there is no run or if links are disabled. */
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
  /** Text of the latest update, without formatting. */
  readonly latest: string;
}

export interface DashboardView {
  readonly asOf: Date;
  /**
   * Version of everything on the page except the view. If it changes, an open page reloads itself.
   */
  readonly shell: string;
  readonly page: number;
  readonly pages: number;
  /**
   * Number of rows, one per check, that should fill the height of a screen. With few checks, each
   * row is taller.
   */
  readonly rows: number;
  readonly isTiled: boolean;
  readonly counts: Readonly<Record<ShownStatus, number>>;
  /** Whether the dashboard shows only checks with certain tags. */
  readonly isChosen: boolean;
  /** Number of checks that are not shown, because a dashboard shows a limited number of checks. */
  readonly left: number;
  readonly attention: readonly Pick<CheckView, "id" | "name" | "status" | "since">[];
  /** Current incidents; `null` if the dashboard does not show incidents. */
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
  /** Base path of the page's links, which ends with a slash. */
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
  /** Time of the server. The script of the page uses it to correct the browser's clock. */
  readonly nowMs: number;
  /** Theme of a preview, which does not update itself; `null` for the real page. */
  readonly preview: "light" | "dark" | null;
  /** URL of the custom CSS; `null` if there is none. */
  readonly customCssUrl: string | null;
}
