import type { components } from "../api/schema.d.ts";

export type Dashboard = components["schemas"]["Dashboard"];
export type DashboardChange =
  components["requestBodies"]["DashboardChange"]["content"]["application/json"];
