import type { Clock } from "../../platform/clock.ts";
import { type Database, inTransaction } from "../../platform/database.ts";
import { KnownError, notFound } from "../../platform/errors.ts";
import { createSecret, hashSecret } from "../../platform/secrets.ts";
import {
  darkPath,
  decidePolicy,
  filePolicy,
  isDocument,
  listPreviewFiles,
  maxAccountBytes,
  maxPreviewBytes,
  maxPreviews,
  type Preview,
  type PreviewFile,
  type PreviewInput,
  previewMs,
} from "./preview.ts";
import { deleteExcess, findPreviewFileByToken, insertPreview } from "./store.ts";

export interface PreviewsContext {
  readonly db: Database;
  readonly clock: Clock;
}

/**
 * The caller must be allowed to see everything in the document: reading it needs no authorization.
 */
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

export interface ShownFile extends PreviewFile {
  readonly policy: string;
}

export async function getPreviewFile(
  { db, clock }: PreviewsContext,
  { token, path }: { readonly token: string; readonly path: string },
): Promise<ShownFile> {
  const request = { tokenHash: hashSecret(token), path, now: clock.now() };
  const file = await findPreviewFileByToken(db, request);
  if (file === null) throw notFound();
  return { ...file, policy: isDocument(file) ? file.contentSecurityPolicy : filePolicy };
}
