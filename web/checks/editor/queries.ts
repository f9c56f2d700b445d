import { queryOptions } from "@tanstack/react-query";
import { api, sendFull } from "../../api/client.ts";
import type { Fields } from "../../kinds/fields.ts";

export interface StoredCheck {
  readonly check: Fields;
  readonly etag: string | null;
}

export async function fetchCheck(id: string): Promise<StoredCheck> {
  const call = api.GET("/v1/checks/{id}", { params: { path: { id } } });
  const { data, etag } = await sendFull(call);
  return { check: data as unknown as Fields, etag };
}

/** Read anew for each editing, and left alone while it goes on. */
export const editedCheckQuery = (id: string) =>
  queryOptions({
    queryKey: ["editor", "check", id],
    queryFn: () => fetchCheck(id),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });

/** What is stored now, fetched again whenever the event stream reports a change of the check. */
export const storedCheckQuery = (id: string) =>
  queryOptions({
    queryKey: ["checks", id, "stored"],
    queryFn: () => fetchCheck(id),
    gcTime: 0,
  });
