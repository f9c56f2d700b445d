import { randomInt } from "node:crypto";
import type { CssWarning, PageKey } from "../../sites/publishing/index.ts";

/** Forbids inline code, content from other origins, and embedding of dashboards. */
export const pagePolicy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

export const widths = ["FULL", "960PX"] as const;
export const layouts = ["TABLE", "TILES"] as const;
export const refreshRates = [60, 300, 600] as const;
export const paginationRates = [30, 60, 300] as const;

export interface DashboardSettings {
  readonly customUrl: string | null;
  readonly customDomain: string | null;
  readonly logo: string | null;
  readonly favicon: string | null;
  readonly link: string | null;
  readonly header: string;
  readonly description: string | null;
  readonly width: (typeof widths)[number];
  readonly layout: (typeof layouts)[number];
  readonly refreshRate: (typeof refreshRates)[number];
  readonly paginate: boolean;
  readonly paginationRate: (typeof paginationRates)[number];
  readonly sortByStatus: boolean;
  readonly checksPerPage: number;
  readonly useTagsAndOperator: boolean;
  readonly hideTags: boolean;
  readonly enableIncidents: boolean;
  readonly expandChecks: boolean;
  readonly tags: readonly string[];
  readonly showHeader: boolean;
  readonly showCheckRunLinks: boolean;
  readonly showGroupNames: boolean;
  readonly customCSS: string;
  readonly isPrivate: boolean;
  readonly showP95: boolean;
  readonly showP99: boolean;
}

export const defaultSettings: Omit<DashboardSettings, "header"> = {
  customUrl: null,
  customDomain: null,
  logo: null,
  favicon: null,
  link: null,
  description: null,
  width: "FULL",
  layout: "TABLE",
  refreshRate: 60,
  paginate: true,
  paginationRate: 60,
  sortByStatus: false,
  checksPerPage: 15,
  useTagsAndOperator: false,
  hideTags: false,
  enableIncidents: false,
  expandChecks: false,
  tags: [],
  showHeader: true,
  showCheckRunLinks: false,
  showGroupNames: true,
  customCSS: "",
  isPrivate: true,
  showP95: true,
  showP99: true,
};

export interface Dashboard {
  readonly id: number;
  /** Id in URLs: eight lower-case letters and digits. */
  readonly dashboardId: string;
  readonly accountId: string;
  readonly settings: DashboardSettings;
  readonly cssWarnings: readonly CssWarning[];
  /** Version number, incremented by every change of the dashboard or its keys. */
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

const letters = "abcdefghijklmnopqrstuvwxyz0123456789";
const idLength = 8;

/** Creates an id that starts with a letter, so that no program parses the id as a number. */
export function createDashboardId(draw: (bound: number) => number = randomInt): string {
  const first = letters[draw(26)] ?? "a";
  const rest = Array.from({ length: idLength - 1 }, () => letters[draw(letters.length)] ?? "a");
  return first + rest.join("");
}

export type DashboardWithKeys = Dashboard & {
  /** Keys of the dashboard. `rawKey` is present only for a key that this request created. */
  readonly keys: readonly (PageKey & { readonly rawKey?: string })[];
};

/** Input of a request. `null` resets a setting to its default. */
export type DashboardInput = {
  readonly [name in keyof DashboardSettings]?: DashboardSettings[name] | null | undefined;
};

export interface DashboardRequest {
  readonly input: DashboardInput;
  /**
   * Whether to create a first key. If `null`, a key is created only if the request makes the
   * dashboard private.
   */
  readonly firstKey: boolean | null;
}

/**
 * Returns whether to create a first key. A dashboard that was already private and has no keys gets
 * one only if the request asks for it.
 */
export function needsFirstKey(
  settings: DashboardSettings,
  firstKey: boolean | null,
  before: DashboardWithKeys | null,
): boolean {
  if (!settings.isPrivate || firstKey === false || (before?.keys.length ?? 0) > 0) return false;
  return before?.settings.isPrivate !== true || firstKey === true;
}

/**
 * Merges input into settings. Settings that are absent from the input keep their values. `null` or
 * an empty address resets a setting to its default.
 */
export function mergeSettings(
  before: DashboardSettings | null,
  input: DashboardInput,
): DashboardSettings {
  const base: DashboardSettings = before ?? { ...defaultSettings, header: "" };
  const names = Object.keys({ ...defaultSettings, header: "" }) as (keyof DashboardSettings)[];
  const fallback: Readonly<Record<string, unknown>> = defaultSettings;
  const isEmptyAddress = (name: string, value: unknown) =>
    value === "" && ["customUrl", "customDomain", "logo", "favicon", "link"].includes(name);
  const given = names
    .filter((name) => input[name] !== undefined)
    .map((name): [string, unknown] => {
      const value = input[name];
      const isReset = value === null || isEmptyAddress(name, value);
      return [name, isReset ? (fallback[name] ?? null) : value];
    });
  const merged = { ...base, ...Object.fromEntries(given) } as DashboardSettings;
  return { ...merged, tags: [...new Set(merged.tags)] };
}

/** Returns the public URL: the custom domain, or else a path with the custom name or id. */
export function formatDashboardUrl(
  publicUrl: string,
  { dashboardId, settings }: Pick<Dashboard, "dashboardId" | "settings">,
): string {
  const { customDomain, customUrl } = settings;
  if (customDomain === null) return `${publicUrl}/dashboards/${customUrl ?? dashboardId}`;
  return `${publicUrl.startsWith("https:") ? "https" : "http"}://${customDomain}/`;
}
