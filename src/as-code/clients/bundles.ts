import { createHash } from "node:crypto";
import { Type } from "typebox";
import type { Caller } from "../../access/accounts/index.ts";
import { listUsedBundles } from "../../checks/checks/index.ts";
import {
  type BundleFacts,
  findBundleContent,
  findBundleFacts,
  lockBundles,
  maxAccountBytes,
  maxBundles,
  saveBundle,
  trimBundles,
} from "../../checks/code-bundles/index.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, inTransaction } from "../../platform/database.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { conflict, invalid, KnownError, notFound } from "../../platform/errors.ts";
import { answers, DateTime, Described } from "../../platform/http/schema.ts";
import { addScope, type HttpServer } from "../../platform/http/server.ts";

interface BundlesContext {
  readonly db: Database;
  readonly clock: Clock;
}

const tags = ["Existing clients"];
const maxBundleBytes = 10 * 1024 * 1024;
const keyPrefix = "bundle/";
const checksumHeader = "x-bundle-checksum-sha256";

const Key = Type.String({
  description: "Names the file by its hash.",
  examples: [`${keyPrefix}1f2e…`],
  maxLength: 128,
});
const Bundle = Type.Object({
  key: Key,
  contentLength: Type.Integer({ description: "Its length in bytes.", examples: [29] }),
  checksumSha256: Type.String({ description: "SHA-256 in hexadecimal.", examples: ["1f2e…"] }),
  lastModified: Described(DateTime, "When it was last uploaded."),
});
const Content = Type.Unsafe<Buffer>({
  type: "string",
  format: "binary",
  description: "The file as it was uploaded.",
});
const KeyBody = Type.Object({ key: Key });

function toWireBundle({ key, contentLength, uploadedAt }: BundleFacts) {
  const checksumSha256 = key.slice(keyPrefix.length);
  return { key, contentLength, checksumSha256, lastModified: formatDateTime(uploadedAt) };
}

const tooMuchCode =
  "the checks of this account use 100 MiB of code; delete some of them, or deploy smaller code";

/**
 * Stores a bundle. The key contains the hash of the content, so that uploading the same content
 * again stores no second bundle.
 */
async function uploadBundle(
  { db: pool, clock }: BundlesContext,
  { accountId }: Caller,
  upload: { readonly content: unknown; readonly checksum: unknown },
): Promise<BundleFacts> {
  const content = upload.content ?? Buffer.alloc(0);
  if (!Buffer.isBuffer(content)) {
    throw new KnownError("unsupportedMediaType", { hint: "Send application/octet-stream." });
  }
  const hash = createHash("sha256").update(content).digest("hex");
  if (upload.checksum !== undefined && String(upload.checksum).toLowerCase() !== hash) {
    throw invalid(checksumHeader, "must be the SHA-256 of the body in hexadecimal", "headers");
  }
  const facts = { key: keyPrefix + hash, uploadedAt: clock.now() };
  await inTransaction(pool, async (db) => {
    await lockBundles(db, accountId);
    await saveBundle(db, accountId, { ...facts, content });
    const used = await listUsedBundles(db, accountId);
    const bytes = await trimBundles(db, accountId, [facts.key, ...used]);
    if (bytes > maxAccountBytes) throw conflict(tooMuchCode);
  });
  return { ...facts, contentLength: content.length };
}

const uploads = [
  {
    path: "/next/checkly-storage/upload-code-bundle",
    operationId: "uploadCodeBundle",
    summary: "Store the code of a project",
  },
  {
    path: "/next/checkly-storage/upload",
    operationId: "uploadSnapshot",
    summary: "Store a snapshot of a test",
  },
];
const description =
  "The body is the file (`application/octet-stream`, up to 10 MiB). Checks run the code that they " +
  `name by its key. An account stores ${maxBundles} files and 100 MiB; the oldest that no check ` +
  `names are deleted first. If the header \`${checksumHeader}\` is sent, it must match the file.`;

function addUploadRoutes(server: HttpServer, context: BundlesContext): void {
  addScope(server, (scope) => {
    scope.addContentTypeParser(
      "application/octet-stream",
      { parseAs: "buffer", bodyLimit: maxBundleBytes },
      (_request, body, done) => done(null, body),
    );
    for (const { path, operationId, summary } of uploads) {
      scope.post(
        path,
        {
          bodyLimit: maxBundleBytes,
          config: { access: "write" },
          schema: { tags, operationId, summary, description, response: answers({ 200: Bundle }) },
        },
        async ({ caller, body, headers }, reply) => {
          // Close the connection after the response. If the response arrived before the whole
          // request was sent, the command line would keep the connection open and wait for it
          // before exiting.
          reply.header("connection", "close");
          const upload = { content: body, checksum: headers[checksumHeader] };
          return toWireBundle(await uploadBundle(context, caller, upload));
        },
      );
    }
  });
}

export function addBundleRoutes(server: HttpServer, context: BundlesContext): void {
  addUploadRoutes(server, context);
  server.post(
    "/next/checkly-storage/peek-code-bundle",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "peekCodeBundle",
        summary: "Check whether a file is stored",
        description: "Returns 404 if it was never uploaded, or was deleted to store newer ones.",
        body: KeyBody,
        response: answers({ 200: Bundle }, "notFound"),
      },
    },
    async ({ caller, body }) => {
      const facts = await findBundleFacts(context.db, caller.accountId, body.key);
      if (facts === null) throw notFound();
      return toWireBundle(facts);
    },
  );
  server.post(
    "/next/checkly-storage/download",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "downloadBundle",
        summary: "Download a stored file",
        description: "Needs a role that may write, because code may contain secrets.",
        produces: ["application/octet-stream"],
        body: KeyBody,
        response: answers({ 200: Content }, "notFound"),
      },
    },
    async ({ caller, body }, reply) => {
      const content = await findBundleContent(context.db, caller.accountId, body.key);
      if (content === null) throw notFound();
      return reply.type("application/octet-stream").send(content);
    },
  );
}
