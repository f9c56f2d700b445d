import type { QueryKey } from "@tanstack/react-query";
import { api, send } from "../api/client.ts";

/** Returns the prefixes of the query keys that belong to a check. */
export const listCheckKeys = (id: string): readonly QueryKey[] => [
  ["checks", id],
  ["runs", id],
  ["editor", "check", id],
];

export async function deleteCheck(id: string): Promise<void> {
  await send(api.DELETE("/v1/checks/{id}", { params: { path: { id } } }));
}
