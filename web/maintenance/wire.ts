/** API types of maintenance. */
import type { components } from "../api/schema.d.ts";

type Schemas = components["schemas"];

export type MaintenanceWindow = Schemas["MaintenanceWindow"];
export type WindowInput =
  components["requestBodies"]["MaintenanceWindowInput"]["content"]["application/json"];
export type Calendar = Schemas["MaintenanceCalendar"];
export type CalendarEntry = Calendar["windows"][number];
export type Occurrence = Calendar["maintenances"][number];
export type Coverage = Schemas["MaintenanceCoverage"];
export type Maintenance = Schemas["Maintenance"];
export type Status = Maintenance["status"];
