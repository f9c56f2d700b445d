import type { components } from "../api/schema.d.ts";

type Schemas = components["schemas"];
type Bodies = components["requestBodies"];

export type StatusPage = Schemas["StatusPage"];
export type StatusPageOverview = Schemas["StatusPageOverview"];
export type StatusPageInput = Bodies["StatusPageInput"]["content"]["application/json"];
