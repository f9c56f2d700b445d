import type { components } from "../api/schema.d.ts";

type Schemas = components["schemas"];

export type Overview = Schemas["Overview"];
export type FailingCheck = Schemas["CheckInTrouble"];
export type Activity = Schemas["Activity"];
export type Trend = Schemas["Trend"];
