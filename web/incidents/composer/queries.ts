import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, send } from "../../api/client.ts";
import { composerWords as words } from "../words.ts";
import { type Composition, toIncident, toUpdate } from "./values.ts";

/** Returns the request body of a preview. `incidentId` is `null` for a new incident. */
export function toPreviewBody(composition: Composition, incidentId: string | null) {
  if (incidentId === null) return toIncident(composition, words.defaultEnd);
  return { incidentId, incidentUpdates: [toUpdate(composition)] };
}

export const previewQuery = (
  body: ReturnType<typeof toPreviewBody> | null,
  statusPageId: string | undefined,
) =>
  queryOptions({
    // The event stream does not invalidate this query, because a preview depends only on its input.
    queryKey: ["incident-preview", body, statusPageId],
    queryFn: ({ signal }) =>
      send(
        api.POST("/v1/status-pages/incidents/preview", {
          body: { ...body, ...(statusPageId !== undefined && { statusPageId }) },
          signal,
        }),
      ),
    enabled: body !== null && statusPageId !== undefined,
    placeholderData: keepPreviousData,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });
