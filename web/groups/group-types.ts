import type { components } from "../api/schema.d.ts";

export type Group = components["schemas"]["CheckGroup"];
export type GroupChange =
  components["requestBodies"]["CheckGroupChange"]["content"]["application/json"];
