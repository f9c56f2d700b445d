import { queryOptions } from "@tanstack/react-query";
import { api, send, sendFull } from "../../api/client.ts";
import { fetchAll } from "../../api/fetch-all.ts";

/** Query of the snippets: scripts that checks and groups run, or that other scripts import. */
export const snippetsQuery = queryOptions({
  queryKey: ["snippets"],
  meta: { events: ["snippet"] },
  queryFn: ({ signal }) =>
    fetchAll("snippets", ({ limit, page }) =>
      sendFull(api.GET("/v1/snippets", { params: { query: { limit, page } }, signal })),
    ),
});

/** Query of the script runtimes and their installation on the server. */
export const runtimesQuery = queryOptions({
  queryKey: ["runtimes"],
  meta: { events: ["runtime"] },
  queryFn: () => send(api.GET("/v1/runtimes")),
  // The query is polled every second during an installation.
  refetchInterval: ({ state }) =>
    state.data?.some(({ installation }) => installation.state === "installing") ? 1_000 : 30_000,
});

/** Query of a runtime. The response also contains the capabilities of the server's machine. */
export const machineQuery = (id: string) =>
  queryOptions({
    queryKey: ["runtimes", id, "machine"],
    meta: { events: ["runtime"] },
    queryFn: ({ signal }) =>
      send(api.GET("/v1/runtimes/{id}", { params: { path: { id } }, signal })),
  });

const linksMs = 1_800_000;

/** Query of a run's files. It is polled, because links expire and probes may send files later. */
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
