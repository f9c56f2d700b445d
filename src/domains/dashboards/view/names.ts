import { BoundedMap } from "../../../platform/bounded-map.ts";
import type { DashboardsContext } from "../context.ts";
import type { Dashboard } from "../dashboard.ts";
import { findDashboardByName } from "../public-store.ts";

const maxRemembered = 1_000;
const maxAgeMs = 30_000;

interface Remembered {
  readonly dashboard: Promise<Dashboard | null>;
  readonly atMs: number;
}

/**
 * Caches dashboards by name, including names that do not exist, so that hundreds of open dashboards
 * do not cause a query each.
 */
export class DashboardNames {
  readonly #context: Pick<DashboardsContext, "db" | "clock" | "pageChanges">;
  readonly #remembered = new BoundedMap<string, Remembered>(maxRemembered);

  constructor(context: Pick<DashboardsContext, "db" | "clock" | "pageChanges">) {
    this.#context = context;
  }

  forgetAll(): void {
    this.#remembered.clear();
  }

  find(name: string): Promise<Dashboard | null> {
    const { db, clock, pageChanges } = this.#context;
    const key = name.toLowerCase();
    const nowMs = clock.now().getTime();
    const cached = this.#remembered.get(key);
    const ageMs = cached === undefined ? Number.POSITIVE_INFINITY : nowMs - cached.atMs;
    if (cached !== undefined && pageChanges.isOn() && ageMs >= 0 && ageMs < maxAgeMs) {
      return cached.dashboard;
    }
    const dashboard = findDashboardByName(db, key);
    this.#remembered.set(key, { dashboard, atMs: nowMs });
    dashboard.catch(() => this.#remembered.delete(key));
    return dashboard;
  }
}
