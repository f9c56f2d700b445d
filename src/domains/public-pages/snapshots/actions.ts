import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { conflict, notFound } from "../../../platform/errors.ts";
import { writeTarArchive } from "../../../platform/tar-archive.ts";
import { type Caller, writeAuditEntry } from "../../accounts/index.ts";
import { findStatusPageById, type StatusPage } from "../../status-pages/index.ts";
import type { PublicPagesContext } from "../context.ts";
import type { StoredSnapshot } from "../snapshot-folder.ts";
import { renderSnapshot } from "../snapshots.ts";

const compress = promisify(gzip);

export interface SnapshotState {
  /** Whether this server writes snapshots. */
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

export async function getSnapshot(
  context: PublicPagesContext,
  caller: Caller,
  statusPageId: string,
): Promise<SnapshotState> {
  const { url, isPrivate } = await getPage(context, caller, statusPageId);
  const { snapshotFolder } = context;
  const stored = (await snapshotFolder?.find(url, caller.accountId)) ?? null;
  return { isKept: snapshotFolder !== null, isPrivate, stored };
}

export async function writeSnapshot(
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

export interface SnapshotArchive {
  readonly fileName: string;
  readonly bytes: Buffer;
}

/** Renders a snapshot for download; needs no folder. */
export async function packSnapshot(
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
