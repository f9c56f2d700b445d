import type { Page } from "playwright-core";
import { waitUntil } from "../time/wait-until.ts";

export interface Screen {
  readonly name: string;
  readonly path: string;
  /** False if it shows useful content without the API. */
  readonly needsApi: boolean;
}

const settings = [
  "profile",
  "security",
  "devices",
  "api-keys",
  "members",
  "variables",
  "client-certificates",
  "audit",
  "alerts",
  "agent",
  "servers",
  "backups",
  "doctor",
  "about",
];

const fixed: readonly Screen[] = [
  { name: "now", path: "/", needsApi: true },
  { name: "checks", path: "/checks", needsApi: true },
  { name: "new-check", path: "/checks/new", needsApi: false },
  { name: "groups", path: "/groups", needsApi: true },
  { name: "alerts", path: "/alerts", needsApi: true },
  { name: "channels", path: "/alerts/channels", needsApi: true },
  { name: "incidents", path: "/incidents", needsApi: true },
  { name: "new-incident", path: "/incidents/new", needsApi: false },
  { name: "incident-templates", path: "/incidents/templates", needsApi: true },
  { name: "new-incident-template", path: "/incidents/templates/new", needsApi: false },
  { name: "incident-statistics", path: "/incidents/statistics", needsApi: true },
  { name: "status-pages", path: "/status-pages", needsApi: true },
  { name: "new-status-page", path: "/status-pages/new", needsApi: false },
  { name: "maintenance", path: "/alerts/maintenance", needsApi: true },
  { name: "maintenance-week", path: "/alerts/maintenance?view=week", needsApi: true },
  { name: "maintenance-list", path: "/alerts/maintenance?view=list", needsApi: true },
  { name: "new-maintenance", path: "/alerts/maintenance/new", needsApi: false },
  { name: "locations", path: "/locations", needsApi: true },
  { name: "location", path: "/locations/eu-central-1", needsApi: true },
  { name: "dashboards", path: "/dashboards", needsApi: true },
  ...settings.map((room) => ({
    name: `settings-${room}`,
    path: `/settings/${room}`,
    needsApi: room !== "profile",
  })),
];

/** One resource of each kind with its own screen; screens of missing ones are skipped. */
export interface ShownThings {
  readonly checkId?: string | null;
  readonly statusPageId?: string;
  readonly dashboardId?: string;
  readonly incidentId?: string;
  readonly windowId?: string;
  /** Slug of a private location. */
  readonly slugName?: string;
}

const pageTabs = ["editor", "access", "domain", "subscribers", "snapshots"];

function listScreensOfThings(things: ShownThings): readonly Screen[] {
  const { checkId, statusPageId, dashboardId, incidentId, windowId, slugName } = things;
  const found: [name: string, id: string | null | undefined, path: string][] = [
    ["check", checkId, `/checks/${checkId}`],
    ["edit-check", checkId, `/checks/${checkId}/edit`],
    ["check-alerts", checkId, `/checks/${checkId}?tab=alerts`],
    ["check-code", checkId, `/checks/${checkId}?tab=code`],
    ["incident", incidentId, `/incidents/${incidentId}`],
    ["edit-maintenance", windowId, `/alerts/maintenance/${windowId}`],
    ["private-location", slugName, `/locations/${slugName}`],
    ["edit-dashboard", dashboardId, `/edit-dashboard/${dashboardId}`],
    ...pageTabs.map((tab): [string, string | undefined, string] => [
      `status-page-${tab}`,
      statusPageId,
      `/status-pages/${statusPageId}/${tab}`,
    ]),
  ];
  return found
    .filter(([, id]) => id !== undefined && id !== null)
    .map(([name, , path]) => ({ name, path, needsApi: true }));
}

/** Lists every URL of the application. The one that signs out comes last. */
export function listScreens(things: ShownThings): readonly Screen[] {
  return [
    ...fixed,
    ...listScreensOfThings(things),
    { name: "sign-in", path: "/sign-in", needsApi: false },
  ];
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
