import { queryOptions } from "@tanstack/react-query";
import { api, type Schemas, send } from "../../api/client.ts";

export type Import = Schemas["Import"];
export type ImportSource = Import["source"];
export type PushAddress = Schemas["PushAddress"];

export const importsQuery = queryOptions({
  queryKey: ["imports"],
  queryFn: ({ signal }) => send(api.GET("/v1/imports", { signal })),
  meta: { events: ["import"] },
});

export const addressesQuery = queryOptions({
  queryKey: ["push-addresses"],
  queryFn: ({ signal }) => send(api.GET("/v1/push-addresses", { signal })),
  meta: { events: ["push-address", "import"] },
});

/** Uploads a file as it is; it may be a database. */
export function uploadFile(source: ImportSource, file: File): Promise<Import> {
  return send(
    api.POST("/v1/imports/preview", {
      params: { query: { source, fileName: file.name.slice(0, 255) } },
      // The schema describes the other form of the body, several text files as JSON.
      body: { files: [] },
      bodySerializer: () => file,
      headers: { "content-type": "application/octet-stream" },
    }),
  );
}
