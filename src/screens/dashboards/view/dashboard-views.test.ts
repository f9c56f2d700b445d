import assert from "node:assert/strict";
import { test } from "node:test";
import { createRunsFixture } from "../../../../test/support/modules/runs.ts";
import { ChangeChannel } from "../../../platform/notifications.ts";
import type { DashboardsContext } from "../actions.ts";
import { type Dashboard, defaultSettings } from "../dashboard.ts";
import { DashboardViews } from "./dashboard-views.ts";

test("views with many checks are evicted, least recently used first", async (t) => {
  const fixture = await createRunsFixture();
  t.after(fixture.stop);
  for (const name of ["north", "south"]) await fixture.addCheck({ name });
  const rest = {
    publicUrl: () => "http://127.0.0.1",
    pageChanges: new ChangeChannel(() => true),
    stateChanges: new ChangeChannel(() => true),
  };
  const context = { ...fixture.context, ...rest } as unknown as DashboardsContext;
  const views = new DashboardViews(context, { dashboards: 10, figures: 4 });
  const look = (dashboardId: string) => {
    const { accountId, clock } = fixture;
    const dates = { version: 1, createdAt: clock.now(), updatedAt: null };
    const settings = { ...defaultSettings, header: dashboardId };
    const dashboard: Dashboard = {
      ...{ id: 1, dashboardId, accountId, settings, cssWarnings: [] },
      ...dates,
    };
    return views.read(dashboard, { page: 1, isExpanded: false });
  };
  for (const one of ["a", "b", "c"]) assert.equal((await look(one)).view.checks.length, 2);
  assert.equal(views.size, 3);
  await look("c");
  assert.equal(views.size, 2);
  await look("b");
  assert.equal(views.size, 2, "the first was evicted");
});
