import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { Type } from "typebox";
import { type Caller, writeAuditEntry } from "../../access/accounts/index.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { conflict, notFound } from "../../platform/errors.ts";
import { answers, DateTime, Described, Guid, OrNull } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { findStatusPageById, type StatusPage } from "../../sites/status-pages/index.ts";
import type { PublicPagesContext } from "./context.ts";
import type { StoredSnapshot } from "./snapshot-folder.ts";
import { renderSnapshot } from "./snapshots.ts";

/** Block size of a POSIX (ustar) archive. */
const blockBytes = 512;

const tags = ["Status pages"];
const path = "/v1/status-pages/:statusPageId/snapshot";

function writeHeader(name: string, bytes: number, at: Date): Buffer {
  const header = Buffer.alloc(blockBytes);
  const octal = (value: number, length: number) => value.toString(8).padStart(length, "0");
  header.write(name, 0, 100, "utf8");
  header.write(`${octal(0o644, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100, "latin1");
  header.write(`${octal(bytes, 11)}\0`, 124, "latin1");
  header.write(`${octal(Math.floor(at.getTime() / 1_000), 11)}\0`, 136, "latin1");
  // The checksum field contains spaces while the checksum is computed.
  header.write("        0", 148, "latin1");
  header.write("ustar\x0000", 257, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148, "latin1");
  return header;
}

/** Creates a tar archive. A file name may have at most 100 bytes. */
function writeTarArchive(
  files: ReadonlyMap<string, string | Buffer>,
  at: Date,
): Buffer<ArrayBuffer> {
  const parts: Buffer[] = [];
  for (const [name, content] of files) {
    if (Buffer.byteLength(name) > 100) throw new Error(`the name ${name} is too long for tar`);
    const body = typeof content === "string" ? Buffer.from(content) : content;
    const padding = Buffer.alloc((blockBytes - (body.length % blockBytes)) % blockBytes);
    parts.push(writeHeader(name, body.length, at), body, padding);
  }
  return Buffer.concat([...parts, Buffer.alloc(2 * blockBytes)]);
}

const compress = promisify(gzip);

interface SnapshotState {
  /** Whether this server writes snapshots to a folder. */
  readonly isKept: boolean;
  readonly isPrivate: boolean;
  readonly stored: StoredSnapshot | null;
}

async function getPage(
  { db }: PublicPagesContext,
  caller: Caller,
  statusPageId: string,
): Promise<StatusPage> {
  const page = await findStatusPageById(db, caller.accountId, statusPageId);
  if (page === null) throw notFound();
  return page;
}

function assertPublic({ isPrivate }: StatusPage): void {
  if (isPrivate)
    throw conflict(
      "a private page has no snapshot, because its files would be readable without a key",
    );
}

async function getSnapshot(
  context: PublicPagesContext,
  caller: Caller,
  statusPageId: string,
): Promise<SnapshotState> {
  const { url, isPrivate } = await getPage(context, caller, statusPageId);
  const { snapshotFolder } = context;
  const stored = (await snapshotFolder?.find(url, caller.accountId)) ?? null;
  return { isKept: snapshotFolder !== null, isPrivate, stored };
}

async function writeSnapshot(
  context: PublicPagesContext,
  caller: Caller,
  statusPageId: string,
): Promise<SnapshotState> {
  const page = await getPage(context, caller, statusPageId);
  assertPublic(page);
  const { snapshotFolder, clock, db } = context;
  if (snapshotFolder === null) throw conflict("this server writes no snapshots; set SNAPSHOT_DIR");
  await snapshotFolder.write(page.url, page.accountId, await renderSnapshot(context, page));
  const at = clock.now();
  const note = { action: "status-page.snapshot-written", targetId: page.id, changes: {}, at };
  await writeAuditEntry(db, caller, note);
  return getSnapshot(context, caller, statusPageId);
}

interface SnapshotArchive {
  readonly fileName: string;
  readonly bytes: Buffer;
}

/** Renders a snapshot for download, which works without a snapshot folder. */
async function packSnapshot(
  context: PublicPagesContext,
  caller: Caller,
  statusPageId: string,
): Promise<SnapshotArchive> {
  const page = await getPage(context, caller, statusPageId);
  assertPublic(page);
  const files = await renderSnapshot(context, page);
  const named = new Map([...files].map(([name, body]) => [`${page.url}/${name}`, body]));
  const archive = writeTarArchive(named, context.clock.now());
  return { fileName: `${page.url}.tar.gz`, bytes: await compress(archive) };
}
const PageParams = Type.Object({ statusPageId: Described(Guid, "The status page's id.") });

const SnapshotSchema = Type.Object(
  {
    isKept: Type.Boolean({ description: "Whether this server writes snapshots (`SNAPSHOT_DIR`)." }),
    isPrivate: Type.Boolean({
      description: "Whether the page is private. A private page has no snapshot.",
    }),
    writtenAt: Described(
      OrNull(DateTime),
      "Time the snapshot was last written; `null` if there is none.",
    ),
    fileCount: Type.Integer({ description: "Number of files." }),
    bytes: Type.Integer({ description: "Total size of the files in bytes.", examples: [184_320] }),
  },
  { title: "StatusPageSnapshot" },
);
const SnapshotFile = Type.Unsafe<Buffer>({
  type: "string",
  description: "The files, as a compressed tar archive.",
});

function toWireSnapshot({ isKept, isPrivate, stored }: SnapshotState) {
  return {
    isKept,
    isPrivate,
    writtenAt: stored?.writtenAt ? formatDateTime(stored.writtenAt) : null,
    fileCount: stored?.fileCount ?? 0,
    bytes: stored?.bytes ?? 0,
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
        summary: "Get the state of a status page's snapshot",
        description:
          "A snapshot is a static copy of a public page that any web server can serve while this " +
          "one is unavailable.",
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
        summary: "Write the snapshot of a status page now",
        description:
          "Rejected with 409 for a private page, and on a server without `SNAPSHOT_DIR`.",
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
        summary: "Download a snapshot of a status page",
        description:
          "Rendered now, whether or not the server writes snapshots. 409 for a private page.",
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
