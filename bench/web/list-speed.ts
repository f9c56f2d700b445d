/** Measures opening, filtering and scrolling the list of checks. */
import type { Page } from "playwright-core";
import { median } from "../support.ts";
import type { Bench } from "./server.ts";

const tries = 7;
const batch = 250;

export interface ListCosts {
  readonly firstRowsMs: number;
  readonly filterMs: number;
  readonly scrollMs: number;
  readonly longestTaskMs: number;
}

/** Once a day, so that the benchmark measures the list, not runs. */
export async function createChecks({ ask }: Bench, from: number, to: number): Promise<void> {
  const checks = Array.from({ length: to - from }, (_, place) => {
    const index = from + place;
    return {
      checkType: "ICMP",
      name: `host-${String(index).padStart(5, "0")}`,
      frequency: 1_440,
      tags: [`tag-${index % 7}`],
      request: { hostname: `127.0.${(index >> 8) % 250}.${1 + (index % 250)}` },
    };
  });
  for (let start = 0; start < checks.length; start += batch) {
    await ask("POST", "/v1/checks/many", { checks: checks.slice(start, start + batch) });
  }
}

/** Measures until the page has rendered what makes the condition true. */
async function measureUntil(page: Page, act: () => Promise<unknown>, isTrue: string) {
  const startMs = performance.now();
  await act();
  await page.waitForFunction(isTrue, undefined, { polling: "raf" });
  return performance.now() - startMs;
}

const rowNames = `[...document.querySelectorAll("main a")].map((one) => one.textContent)`;
const hasRows = `${rowNames}.filter((name) => /host-\\d{5}/.test(name)).length >= 10`;
const hasOnly = (name: string) =>
  `(() => { const names = ${rowNames}.filter((one) => /host-\\d{5}/.test(one));
    return names.length > 0 && names.every((one) => one.includes("${name}")); })()`;

/** Returns the name in the row in the middle of the window. */
const nameInTheMiddle = `[500, 520, 540]
  .map((y) => document.elementFromPoint(700, y)?.closest("tr")?.textContent ?? "")
  .map((text) => /host-\\d{5}/.exec(text)?.[0])
  .find((name) => name !== undefined) ?? ""`;

async function measureOnce(bench: Bench, page: Page): Promise<Omit<ListCosts, "longestTaskMs">> {
  const firstRowsMs = await measureUntil(page, () => page.goto(`${bench.url}/checks`), hasRows);
  const search = page.getByRole("searchbox").first();
  const filterMs = await measureUntil(page, () => search.fill("host-00042"), hasOnly("host-00042"));
  // A new filter starts at the top, so each scroll is measured on a new page.
  await measureUntil(page, () => page.goto(`${bench.url}/checks`), hasRows);
  const before: string = await page.evaluate(nameInTheMiddle);
  await page.mouse.move(700, 500);
  const hasMoved = `!["", ${JSON.stringify(before)}].includes(${nameInTheMiddle})`;
  const scroll = async () => {
    for (let turn = 0; turn < 3; turn += 1) await page.mouse.wheel(0, 500);
  };
  const scrollMs = await measureUntil(page, scroll, hasMoved);
  return { firstRowsMs, filterMs, scrollMs };
}

const watchLongTasks = `
  window.longestTaskMs = Number(sessionStorage.longestTaskMs ?? 0);
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      window.longestTaskMs = Math.max(window.longestTaskMs, duration);
      sessionStorage.longestTaskMs = window.longestTaskMs;
    }
  }).observe({ type: "longtask", buffered: true });`;

export async function measureList(bench: Bench): Promise<ListCosts> {
  const page = await bench.open();
  await page.addInitScript(watchLongTasks);
  const costs: Omit<ListCosts, "longestTaskMs">[] = [];
  for (let turn = 0; turn < tries; turn += 1) costs.push(await measureOnce(bench, page));
  const longestTaskMs: number = await page.evaluate("window.longestTaskMs");
  await page.context().close();
  // The first measurement warms up the caches of browser and server.
  const warm = costs.slice(1);
  return {
    firstRowsMs: median(warm.map((one) => one.firstRowsMs)),
    filterMs: median(warm.map((one) => one.filterMs)),
    scrollMs: median(warm.map((one) => one.scrollMs)),
    longestTaskMs,
  };
}
