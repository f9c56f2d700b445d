/** Data of a dashboard, ready for rendering: rendering needs no clock, database or setting. */

export const shownStatuses = ["failing", "degraded", "unknown", "passing"] as const;
export type ShownStatus = (typeof shownStatuses)[number];

export interface StepView {
  readonly avgMs: number | null;
  readonly runs: number;
  readonly degraded: number;
  readonly failing: number;
}

/** Response time over the last day, oldest first; for a new check, since its first run. */
export interface LineView {
  readonly steps: readonly StepView[];
  readonly stepMinutes: number;
  /** Whether it has ever run. */
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
  /** `null` if the location has not run the check yet. */
  readonly lastRunAt: Date | null;
  readonly day: StatsView;
}

export interface CheckView {
  readonly id: string;
  readonly name: string;
  readonly groupName: string | null;
  readonly tags: readonly string[];
  readonly status: ShownStatus;
  /** `null` before the first run. */
  readonly since: Date | null;
  /** URL of the last run; `null` without one, or if links are disabled. */
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
  /** The latest update, as plain text. */
  readonly latest: string;
}

export interface DashboardView {
  readonly asOf: Date;
  /** Version of the page without the view; when it changes, an open page reloads itself. */
  readonly shell: string;
  readonly page: number;
  readonly pages: number;
  /** Number of checks that share the height of a screen. */
  readonly rows: number;
  readonly isTiled: boolean;
  readonly counts: Readonly<Record<ShownStatus, number>>;
  /** Whether tags filter the checks. */
  readonly isChosen: boolean;
  /** Number of checks above the limit of a dashboard. */
  readonly left: number;
  readonly attention: readonly Pick<CheckView, "id" | "name" | "status" | "since">[];
  /** `null` if they are disabled. */
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
  /** Base path of the page's links; ends with a slash. */
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
  /** The server's time, used as reference by the page's script. */
  readonly nowMs: number;
  /** A preview has a fixed theme and does not update; `null` for the real page. */
  readonly preview: "light" | "dark" | null;
  /** `null` without custom CSS. */
  readonly customCssUrl: string | null;
}
