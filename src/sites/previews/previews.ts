import { Type } from "typebox";
import type { Clock } from "../../platform/clock.ts";
import { type Database, inTransaction } from "../../platform/database.ts";
import { KnownError, notFound } from "../../platform/errors.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import type { Log } from "../../platform/log.ts";
import { type Loop, startLoop } from "../../platform/loop.ts";
import { createSecret, hashSecret } from "../../platform/secrets.ts";
import {
  darkPath,
  decidePolicy,
  deleteExcess,
  deletePreviewsBefore,
  filePolicy,
  findPreviewFileByToken,
  insertPreview,
  isDocument,
  listPreviewFiles,
  maxAccountBytes,
  maxPreviewBytes,
  maxPreviews,
  type Preview,
  type PreviewFile,
  type PreviewInput,
  previewMs,
} from "./preview-store.ts";

const examples = ["/previews/9Qf3v8c1s0b7k2d4x6y5n1m3/"];

export const PreviewSchema = Type.Object(
  {
    light: Type.String({
      description: "Path of the document in light mode.",
      examples,
    }),
    dark: Type.String({
      description: "Path of the document in dark mode.",
      examples: examples.map((path) => `${path}dark`),
    }),
    expiresAt: Type.String({
      format: "date-time",
      description: "When it is deleted; earlier if newer previews replace it.",
    }),
  },
  {
    title: "Preview",
    description: "A preview of a document. Anyone who knows the URL can view it; nothing is saved.",
  },
);

export function toWirePreview({ light, dark, expiresAt }: Preview) {
  return { light, dark, expiresAt: expiresAt.toISOString() };
}

export interface PreviewsContext {
  readonly db: Database;
  readonly clock: Clock;
}

/** Creates a preview. Viewing it needs no authorisation, so callers must check access first. */
export async function createPreview(
  { db, clock }: PreviewsContext,
  accountId: string,
  input: PreviewInput,
): Promise<Preview> {
  const files = listPreviewFiles(input);
  const byteCount = [...files.values()].reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (byteCount > maxPreviewBytes) {
    const message = `A preview must not be larger than ${maxPreviewBytes} bytes`;
    throw new KnownError("bodyTooLarge", { message });
  }
  const token = createSecret();
  const expiresAt = new Date(clock.now().getTime() + previewMs);
  const contentSecurityPolicy = decidePolicy(input.contentSecurityPolicy);
  const tokenHash = hashSecret(token);
  await inTransaction(db, async (transaction) => {
    const stored = { tokenHash, contentSecurityPolicy, files, byteCount, expiresAt };
    await insertPreview(transaction, accountId, stored);
    const limits = { count: maxPreviews, bytes: maxAccountBytes };
    await deleteExcess(transaction, accountId, limits);
  });
  const light = `/previews/${token}/`;
  return { light, dark: files.has(darkPath) ? `${light}${darkPath}` : light, expiresAt };
}

interface ShownFile extends PreviewFile {
  readonly policy: string;
}

async function getPreviewFile(
  { db, clock }: PreviewsContext,
  { token, path }: { readonly token: string; readonly path: string },
): Promise<ShownFile> {
  const request = { tokenHash: hashSecret(token), path, now: clock.now() };
  const file = await findPreviewFileByToken(db, request);
  if (file === null) throw notFound();
  return { ...file, policy: isDocument(file) ? file.contentSecurityPolicy : filePolicy };
}

const Params = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 100, description: "Token of the preview's URL." }),
  "*": Type.String({
    maxLength: 100,
    description: "A file of the preview; empty for the document itself.",
  }),
});

export function addPreviewRoutes(server: HttpServer, context: PreviewsContext): void {
  const options = {
    config: { access: "public", isForReaders: true },
    schema: { hide: true, params: Params },
  } as const;
  server.get("/previews/:token/*", options, async ({ params }, reply) => {
    const { token, "*": path } = params;
    const file = await getPreviewFile(context, { token, path });
    return reply
      .header("content-security-policy", file.policy)
      .header("cache-control", "private, no-store")
      .header("x-robots-tag", "noindex")
      .header("referrer-policy", "no-referrer")
      .type(file.contentType)
      .send(file.bytes);
  });
}

export function startPreviewLoops({ db, clock }: PreviewsContext, log: Log): readonly Loop[] {
  return [
    startLoop({
      name: "delete previews that have expired",
      isEssential: false,
      everyMs: 60_000,
      log,
      turn: () => deletePreviewsBefore(db, clock.now()),
    }),
  ];
}
