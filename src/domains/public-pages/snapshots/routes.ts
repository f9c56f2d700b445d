import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { answers, DateTime, Described, Guid, OrNull } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { PublicPagesContext } from "../context.ts";
import { getSnapshot, packSnapshot, type SnapshotState, writeSnapshot } from "./actions.ts";

const tags = ["Status pages"];
const path = "/v1/status-pages/:statusPageId/snapshot";
const PageParams = Type.Object({ statusPageId: Described(Guid, "The status page's id.") });

const SnapshotSchema = Type.Object(
  {
    isKept: Type.Boolean({ description: "Whether this server keeps copies (`SNAPSHOT_DIR`)." }),
    isPrivate: Type.Boolean({ description: "A private page has no copy." }),
    writtenAt: Described(OrNull(DateTime), "When the copy was last written; null: there is none."),
    fileCount: Type.Integer({ description: "How many files it has." }),
    bytes: Type.Integer({ description: "How large they are together.", examples: [184_320] }),
  },
  { title: "StatusPageSnapshot" },
);
const SnapshotFile = Type.Unsafe<Buffer>({
  type: "string",
  description: "The files, as a compressed tar archive.",
});

function toWireSnapshot({ isKept, isPrivate, kept }: SnapshotState) {
  return {
    isKept,
    isPrivate,
    writtenAt: kept?.writtenAt ? formatDateTime(kept.writtenAt) : null,
    fileCount: kept?.fileCount ?? 0,
    bytes: kept?.bytes ?? 0,
  };
}

export function addSnapshotRoutes(server: HttpServer, context: PublicPagesContext): void {
  server.get(
    path,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getStatusPageSnapshot",
        summary: "Read what is kept of a status page as files",
        description: "Copies of public pages that any web server can show while this one is away.",
        params: PageParams,
        response: answers({ 200: SnapshotSchema }, "notFound"),
      },
    },
    async ({ caller, params }) =>
      toWireSnapshot(await getSnapshot(context, caller, params.statusPageId)),
  );
  server.post(
    path,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "writeStatusPageSnapshot",
        summary: "Write the copy of a status page now",
        description: "A private page, and a server without `SNAPSHOT_DIR`, are answered with 409.",
        params: PageParams,
        response: answers({ 200: SnapshotSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params }) =>
      toWireSnapshot(await writeSnapshot(context, caller, params.statusPageId)),
  );
  server.get(
    `${path}/archive`,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "downloadStatusPageSnapshot",
        summary: "Download a status page as files",
        description: "As it is now, whether copies are kept or not. A private one: 409.",
        params: PageParams,
        produces: ["application/gzip"],
        response: answers({ 200: SnapshotFile }, "notFound", "conflict"),
      },
    },
    async ({ caller, params }, reply) => {
      const { fileName, bytes } = await packSnapshot(context, caller, params.statusPageId);
      return reply
        .type("application/gzip")
        .header("content-disposition", `attachment; filename="${fileName}"`)
        .send(bytes);
    },
  );
}
