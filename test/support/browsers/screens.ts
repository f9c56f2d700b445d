import type { Page } from "playwright-core";
import {
  publicScreens,
  screens,
  settingsSections,
  statusPageTabs,
} from "../../../src/pages/screens.ts";
import { waitUntil } from "../time/wait-until.ts";

export interface Screen {
  readonly name: string;
  readonly path: string;
  /** Whether the screen shows useful content only with the API. */
  readonly needsApi: boolean;
}

/** Names of the screens that show useful content without the API. */
const offline = new Set(["device", "new-incident", "new-status-page", "settings-profile"]);

const toName = (key: string) => key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const table: readonly Screen[] = [
  ...Object.entries(screens)
    // The settings screen is skipped, because it only lists sections, which are separate screens
    // below.
    .filter(([key]) => key !== "settings")
    .map(([key, path]) => ({ name: toName(key), path })),
  ...Object.entries(statusPageTabs).map(([key, tab]) => ({
    name: `status-page-${toName(key)}`,
    path: `${screens.statusPage}${tab}`,
  })),
  ...Object.entries(settingsSections).map(([key, section]) => ({
    name: `settings-${toName(key)}`,
    path: `${screens.settings}${section}`,
  })),
].map((screen) => ({ ...screen, needsApi: !offline.has(screen.name) }));

/** Further views of a screen that the path alone does not distinguish. */
const views: readonly Screen[] = [
  { name: "new-incident-template", path: "/incidents/templates/new", needsApi: false },
  { name: "maintenance-week", path: "/alerts/maintenance?view=week", needsApi: true },
  { name: "maintenance-list", path: "/alerts/maintenance?view=list", needsApi: true },
  { name: "new-maintenance", path: "/alerts/maintenance/new", needsApi: false },
  { name: "new-on-call-schedule", path: "/on-call/new", needsApi: false },
  { name: "new-escalation-policy", path: "/on-call/policies/new", needsApi: false },
  { name: "public-location", path: "/locations/eu-central-1", needsApi: true },
  { name: "check-alerts", path: `${screens.check}?tab=alerts`, needsApi: true },
  { name: "check-code", path: `${screens.check}?tab=code`, needsApi: true },
];

/**
 * Ids of one resource per type that has its own screen. The screens of a missing resource are
 * skipped.
 */
export interface ShownThings {
  readonly checkId?: string | null;
  readonly statusPageId?: string;
  readonly dashboardId?: string;
  readonly incidentId?: string;
  readonly windowId?: string;
  readonly scheduleId?: string;
  readonly policyId?: string;
  readonly alertId?: string;
  /** Slug of a private location. */
  readonly slugName?: string;
}

/** Replaces the parameters of a path by ids; `null` if an id is missing. */
function fillPath(path: string, ids: Readonly<Record<string, string | null | undefined>>) {
  let isComplete = true;
  const filled = path.replaceAll(/\$(\w+)/g, (_all, name: string) => {
    isComplete &&= Boolean(ids[name]);
    return ids[name] ?? "";
  });
  return isComplete ? filled : null;
}

/**
 * Lists the screens of the application. The sign-in screen comes last, because it signs the user
 * out.
 */
export function listScreens({ slugName, ...ids }: ShownThings): readonly Screen[] {
  const known = [...table, ...views].flatMap((screen) => {
    const path = fillPath(screen.path, { ...ids, region: slugName });
    // A status page itself is skipped, because it redirects to its first tab and the tabs are
    // separate screens.
    return path === null || screen.path === screens.statusPage ? [] : [{ ...screen, path }];
  });
  const signIn = { name: "sign-in", path: publicScreens.signIn, needsApi: false };
  return [...known, signIn];
}

/** Returns one screen per module, because the screens of a module share their components. */
export function chooseOnePerModule(screens: readonly Screen[]): readonly Screen[] {
  const modules = new Map<string, Screen>();
  for (const screen of screens) {
    const module = screen.path.split(/[/?]/)[1] ?? "";
    if (!modules.has(module)) modules.set(module, screen);
  }
  return [...modules.values()];
}

/** Waits until the content of the screen has loaded or failed to load. */
export async function waitUntilSettled(page: Page): Promise<void> {
  await page.locator("main :is(h1, h2, [role=alert]):visible").first().waitFor();
  await page.getByText("Loading", { exact: true }).first().waitFor({ state: "detached" });
}

/** Opens a screen without reloading the application, because a reload costs much more. */
export async function goToScreen(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, "", ${JSON.stringify(path)})`);
  // The router shows the previous screen until the new screen has loaded.
  const isShown = () =>
    page.evaluate<boolean>(`__TSR_ROUTER__.state.status === "idle"
      && __TSR_ROUTER__.state.resolvedLocation.href === ${JSON.stringify(path)}`);
  await waitUntil(`${path} is shown`, isShown);
  await waitUntilSettled(page);
}
