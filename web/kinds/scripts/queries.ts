import { queryOptions } from "@tanstack/react-query";
import { api, send } from "../../api/client.ts";

/** Scripts of the account that others run or import. */
export const snippetsQuery = queryOptions({
  queryKey: ["snippets"],
  meta: { events: ["snippet"] },
  queryFn: () => send(api.GET("/v1/snippets", { params: { query: { limit: 100, page: 1 } } })),
});

/** The runtimes of scripts, and which of them are installed on the server. */
export const runtimesQuery = queryOptions({
  queryKey: ["runtimes"],
  meta: { events: ["runtime"] },
  queryFn: () => send(api.GET("/v1/runtimes")),
  // Polled faster during an installation.
  refetchInterval: ({ state }) =>
    state.data?.some(({ installation }) => installation.state === "installing") ? 1_000 : 30_000,
});

/** One runtime with what the machine of the server offers to scripts of any. */
export const machineQuery = (id: string) =>
  queryOptions({
    queryKey: ["runtimes", id, "machine"],
    meta: { events: ["runtime"] },
    queryFn: ({ signal }) =>
      send(api.GET("/v1/runtimes/{id}", { params: { path: { id } }, signal })),
  });

const linksMs = 1_800_000;

/** Files of a run. A remote probe may send them after the result, and links expire. */
export const runFilesQuery = (checkId: string, resultId: string) =>
  queryOptions({
    queryKey: ["runs", checkId, "files", resultId],
    meta: { events: ["check", "check.result"] },
    queryFn: ({ signal }) =>
      send(
        api.GET("/v1/check-results/{checkId}/{resultId}/assets", {
          params: { path: { checkId, resultId } },
          signal,
        }),
      ),
    staleTime: linksMs,
    refetchInterval: linksMs,
  });
