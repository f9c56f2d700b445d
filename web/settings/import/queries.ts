import { queryOptions } from "@tanstack/react-query";
import { api, type Schemas, send } from "../../api/client.ts";
import { words } from "./words.ts";

export type Import = Schemas["Import"];
export type ImportSource = Import["source"];
export type PushAddress = Schemas["PushAddress"];
export type Comparison = Schemas["ImportComparison"];

/**
 * Returns the name of the import source, followed by the name of the installation if it has a name.
 */
export const nameSource = ({ source, name }: Pick<Import, "source" | "name">) =>
  name === "" ? words.sources[source] : `${words.sources[source]} (${name})`;

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

/**
 * Compares imported checks with the old monitor. The comparison is fetched only on request, because
 * it evaluates many runs.
 */
export const comparisonQuery = (id: string) =>
  queryOptions({
    queryKey: ["imports", id, "comparison"],
    queryFn: ({ signal }) =>
      send(api.GET("/v1/imports/{id}/comparison", { params: { path: { id } }, signal })),
  });

/** Maximum number of checks in one bulk request. */
const maxBulkIds = 1_000;

/** Unmutes imported checks, so that they start to send alerts. */
export async function startAlerting(checkIds: readonly string[]): Promise<void> {
  for (let at = 0; at < checkIds.length; at += maxBulkIds) {
    const ids = checkIds.slice(at, at + maxBulkIds);
    await send(api.POST("/v1/checks/bulk", { body: { ids, action: "unmute" } }));
  }
}

interface UploadRequest {
  readonly source: ImportSource;
  /** Name of the source installation. If empty, the name comes from the file. */
  readonly name: string;
  readonly files: readonly File[];
}

function toQuery({ source, name }: UploadRequest, fileName: string) {
  const given = name.trim();
  return { source, fileName: fileName.slice(0, 255), ...(given !== "" && { name: given }) };
}

/** Uploads several text files as JSON. */
async function uploadTexts(request: UploadRequest): Promise<Import> {
  const { files } = request;
  const contents = files.map(async (file) => ({ name: file.name, content: await file.text() }));
  const fileName = files.map(({ name }) => name).join(", ");
  return send(
    api.POST("/v1/imports/preview", {
      params: { query: toQuery(request, fileName) },
      body: { files: await Promise.all(contents) },
    }),
  );
}

/**
 * Uploads a single file unchanged, because it may be a database. Several files are uploaded as
 * text.
 */
export function uploadFiles(request: UploadRequest): Promise<Import> {
  const [file, ...others] = request.files;
  if (file === undefined || others.length > 0) return uploadTexts(request);
  return send(
    api.POST("/v1/imports/preview", {
      params: { query: toQuery(request, file.name) },
      // In the schema, the body contains several text files. `bodySerializer` sends the single file
      // instead.
      body: { files: [] },
      bodySerializer: () => file,
      headers: { "content-type": "application/octet-stream" },
    }),
  );
}
