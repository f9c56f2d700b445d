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
  /** False if it shows useful content without the API. */
  readonly needsApi: boolean;
}

/** Screens that show useful content without the API. */
const offline = new Set(["device", "new-incident", "new-status-page", "settings-profile"]);

const toName = (key: string) => key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const table: readonly Screen[] = [
  ...Object.entries(screens)
    // The list of its sections, which are screens themselves.
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

/** Other views of a screen. */
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

/** One resource of each kind with its own screen; screens of missing ones are skipped. */
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

/** Fills in the ids; `null` if there is no such resource. */
function fillPath(path: string, ids: Readonly<Record<string, string | null | undefined>>) {
  let isComplete = true;
  const filled = path.replaceAll(/\$(\w+)/g, (_all, name: string) => {
    isComplete &&= Boolean(ids[name]);
    return ids[name] ?? "";
  });
  return isComplete ? filled : null;
}

/** Lists every URL of the application. The one that signs out comes last. */
export function listScreens({ slugName, ...ids }: ShownThings): readonly Screen[] {
  const known = [...table, ...views].flatMap((screen) => {
    const path = fillPath(screen.path, { ...ids, region: slugName });
    // The tabs of a status page are screens; the page itself redirects to the first.
    return path === null || screen.path === screens.statusPage ? [] : [{ ...screen, path }];
  });
  const signIn = { name: "sign-in", path: publicScreens.signIn, needsApi: false };
  return [...known, signIn];
}

/** Screens of one module share their parts, so one represents the others. */
export function chooseOnePerModule(screens: readonly Screen[]): readonly Screen[] {
  const modules = new Map<string, Screen>();
  for (const screen of screens) {
    const module = screen.path.split(/[/?]/)[1] ?? "";
    if (!modules.has(module)) modules.set(module, screen);
  }
  return [...modules.values()];
}

/** Waits until the content that the screen loads has arrived or failed. */
export async function waitUntilSettled(page: Page): Promise<void> {
  await page.locator("main :is(h1, h2, [role=alert]):visible").first().waitFor();
  await page.getByText("Loading", { exact: true }).first().waitFor({ state: "detached" });
}

/** Opens a screen within the application, which is much cheaper than loading it again. */
export async function goToScreen(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, "", ${JSON.stringify(path)})`);
  // The router shows the former screen until the new one has loaded.
  const isShown = () =>
    page.evaluate<boolean>(`__TSR_ROUTER__.state.status === "idle"
      && __TSR_ROUTER__.state.resolvedLocation.href === ${JSON.stringify(path)}`);
  await waitUntil(`${path} is shown`, isShown);
  await waitUntilSettled(page);
}
