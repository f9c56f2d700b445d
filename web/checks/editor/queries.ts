import { queryOptions } from "@tanstack/react-query";
import { api, sendFull } from "../../api/client.ts";
import type { Version } from "../../editing/index.ts";
import type { Fields } from "../../parts/fields.ts";

export async function fetchCheck(id: string): Promise<Version<Fields>> {
  const call = api.GET("/v1/checks/{id}", { params: { path: { id } } });
  const { data, etag } = await sendFull(call);
  return { data: data as unknown as Fields, etag };
}

/** The check as it is stored now, fetched again whenever the event stream reports a change. */
export const storedCheckQuery = (id: string) =>
  queryOptions({
    queryKey: ["checks", id, "stored"],
    meta: { events: ["check", "check-group"] },
    queryFn: () => fetchCheck(id),
    gcTime: 0,
  });
