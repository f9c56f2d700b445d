import { randomUUIDv7 } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { type Caller, isAllowed, writeAuditEntry } from "../../access/accounts/index.ts";
import { inTransaction } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import { KnownError, notFound } from "../../platform/errors.ts";
import { toShortLine } from "../../platform/text/clip.ts";
import type { ImportsContext } from "./context.ts";
import { decideName, type Import } from "./import.ts";
import { readInThread } from "./reader-thread.ts";
import { type Reading, UnreadableFile } from "./reading.ts";
import type { ImportSource } from "./sources.ts";
import {
  clearEarlier,
  deleteImport,
  findImport,
  insertImport,
  listImports,
  listUsedNames,
} from "./store.ts";
import { type Upload, withUploadedFiles } from "./upload.ts";

const maxListed = 50;
const maxReadingBytes = 512 * 1_048_576;
const compress = promisify(gzip);
const decompress = promisify(gunzip);

async function sealReading(encryption: Encryption, reading: Reading): Promise<string> {
  const packed = await compress(JSON.stringify(reading));
  return encryption.encrypt(packed.toString("base64"));
}

export async function openReading(encryption: Encryption, sealed: string): Promise<Reading> {
  const packed = Buffer.from(encryption.decrypt(sealed), "base64");
  const text = await decompress(packed, { maxOutputLength: maxReadingBytes });
  return JSON.parse(text.toString("utf8")) as Reading;
}

function findHistoryStart({ history }: Reading): Date | null {
  let firstMs = Number.POSITIVE_INFINITY;
  for (const { hours, days, outages } of history) {
    for (const slot of [hours[0], days[0]]) firstMs = Math.min(firstMs, slot?.startMs ?? firstMs);
    firstMs = Math.min(firstMs, outages[0]?.fromMs ?? firstMs);
  }
  return Number.isFinite(firstMs) ? new Date(firstMs) : null;
}

async function readUpload(
  context: ImportsContext,
  caller: Caller,
  { source, upload }: { readonly source: ImportSource; readonly upload: Upload },
): Promise<Reading> {
  using slot = context.readingSlots.take();
  if (slot === null) throw new KnownError("unavailable", { retryAfterSeconds: 10 });
  const options = { ...context.addressRules, allowLan: isAllowed("admin", caller.role, false) };
  try {
    return await withUploadedFiles(upload, (files) => readInThread({ source, files, options }));
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    const message = toShortLine(error.message, 500);
    throw new KnownError("invalidRequest", { message, validation: { source: "body", keys: [] } });
  }
}

/**
 * Reads an uploaded file of another monitor and stores a preview of the import. Imports nothing.
 */
export async function previewImport(
  context: ImportsContext,
  caller: Caller,
  {
    source,
    name,
    upload,
  }: { readonly source: ImportSource; readonly name: string | null; readonly upload: Upload },
): Promise<Import> {
  const { accountId } = caller;
  const reading = await readUpload(context, caller, { source, upload });
  const { installation } = reading;
  const used = await listUsedNames(context.db, accountId, source);
  const sealedReading = await sealReading(context.encryption, reading);
  const made: Import = {
    id: randomUUIDv7(),
    source,
    name: name ?? decideName(installation, used),
    fileName: toShortLine(upload.fileName, 200),
    report: reading.report,
    addresses: reading.aliases.length,
    historyChecks: reading.history.length,
    historyFrom: findHistoryStart(reading),
    createdAt: context.clock.now(),
    finishedAt: null,
    outcome: null,
  };
  await inTransaction(context.db, async (db) => {
    await clearEarlier(db, accountId, made);
    const installationId = installation?.id ?? null;
    await insertImport(db, accountId, { ...made, sealedReading, installationId });
  });
  return made;
}

export function listOwnImports(
  { db }: Pick<ImportsContext, "db">,
  { accountId }: Caller,
): Promise<Import[]> {
  return listImports(db, accountId, maxListed);
}

export async function getImport(
  { db }: Pick<ImportsContext, "db">,
  { accountId }: Caller,
  id: string,
): Promise<Import> {
  const found = await findImport(db, accountId, id);
  if (found === null) throw notFound();
  return found;
}

/**
 * Deletes the record of an import. The imported resources remain. The stored origin of each
 * resource also remains, so that a later import updates the resource instead of creating it again.
 */
export async function removeImport(
  { db, clock }: Pick<ImportsContext, "db" | "clock">,
  caller: Caller,
  id: string,
): Promise<void> {
  await inTransaction(db, async (transaction) => {
    const removed = await deleteImport(transaction, caller.accountId, id);
    if (removed === null) throw notFound();
    const note = { action: "import.deleted", targetId: id, changes: { source: removed.source } };
    await writeAuditEntry(transaction, caller, { ...note, at: clock.now() });
  });
}
