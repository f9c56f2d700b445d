import { randomUUIDv7 } from "node:crypto";
import type { Database } from "../../platform/database.ts";
import { findTakenConstraint, isDeadlock } from "../../platform/database-errors.ts";
import { conflict, invalid, notFound } from "../../platform/errors.ts";
import { assertMatch } from "../../platform/http/entity-tag.ts";
import { type Caller, createOnce, writeAuditEntry } from "../accounts/index.ts";
import {
  claimDomain,
  deletePageImages,
  deletePageKeys,
  releaseDomain,
  wishPageImages,
} from "../sites/index.ts";
import { listWishedServiceIds, planCards } from "./cards.ts";
import type { StatusPagesContext } from "./context.ts";
import { decidePageSettings } from "./page-settings.ts";
import { StatusPageBody, type StatusPageWish, tagStatusPage, toWirePictures } from "./schema.ts";
import type { StatusPage, StatusPageSettings } from "./status-page.ts";
import {
  countStatusPages,
  deleteStatusPage,
  findStatusPageById,
  holdServices,
  insertStatusPage,
  listStatusPages,
  lockStatusPage,
  maxPages,
  replaceCards,
  type StatusPagesQuery,
  updateStatusPage,
} from "./store.ts";

const reference = (pageId: string) => ({ pageKind: "status-page", pageId }) as const;

/** An address is unique over all accounts; whoever comes second is told which one is taken. */
async function tellWhatIsTaken<Result>(url: string, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (findTakenConstraint(error) === "status_pages_url") {
      throw conflict(`url ${url.toLowerCase()} is taken`);
    }
    // Two pages were asked to exchange their addresses at once, and neither can be first.
    if (isDeadlock(error)) throw conflict("url or customDomain is taken by a change under way");
    throw error;
  }
}

/** What came back as we showed it is no wish for another picture. */
function listPictureWishes(before: StatusPage | null, wish: StatusPageWish, publicUrl: string) {
  const shown = before && toWirePictures(before, publicUrl);
  const changed = (key: "logo" | "logoDark" | "favicon") => {
    const isUploadShown = wish[key] === shown?.[key] && wish[key] !== before?.settings[key];
    return isUploadShown ? undefined : wish[key];
  };
  const wishes = {
    logo: changed("logo"),
    "logo-dark": changed("logoDark"),
    favicon: changed("favicon"),
  };
  const given = Object.entries(wishes).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [Role in keyof typeof wishes]?: string | null };
}

/** Absent keeps what is stored, if anything is. */
function orStored<Value>(wish: Value | undefined, stored: Value | undefined): Value | null {
  return wish === undefined ? (stored ?? null) : wish;
}

interface PageChange {
  readonly before: StatusPage | null;
  readonly id: string;
  readonly wish: StatusPageWish;
  readonly at: Date;
}

/** Decides and stores a page with all that hangs on it, in the transaction it is given. */
async function savePage(
  context: StatusPagesContext,
  db: Database,
  accountId: string,
  { before, id, wish, at }: PageChange,
): Promise<void> {
  const publicUrl = context.publicUrl();
  const decided = decidePageSettings(before?.settings ?? null, wish, publicUrl);
  if (decided.kind === "fault") throw invalid(decided.fault.key, decided.fault.rule);
  const knownServiceIds = await holdServices(db, accountId, listWishedServiceIds(wish.cards));
  const world = { before: before?.cards ?? [], knownServiceIds, newId: randomUUIDv7, at };
  const plan = planCards(wish.cards, world);
  if (plan.kind === "invalid") throw invalid(plan.key, plan.rule);
  const { allowPrivate } = context;
  const images = listPictureWishes(before, wish, publicUrl);
  const kept = await wishPageImages(db, accountId, { ...reference(id), images, allowPrivate, at });
  const settings: StatusPageSettings = {
    ...decided.settings,
    logo: orStored(kept.logo, before?.settings.logo),
    logoDark: orStored(kept["logo-dark"], before?.settings.logoDark),
    favicon: orStored(kept.favicon, before?.settings.favicon),
  };
  const page = {
    id,
    name: wish.name,
    url: decided.url,
    isPrivate: orStored(wish.isPrivate, before?.isPrivate) ?? false,
    settings,
    version: (before?.version ?? 0) + 1,
    createdAt: before?.createdAt ?? at,
    updatedAt: before === null ? null : at,
  };
  if (before === null) await insertStatusPage(db, accountId, page);
  else await updateStatusPage(db, accountId, page);
  await replaceCards(db, accountId, { id, cards: plan.cards });
  const { customDomain: domain } = settings;
  if (domain === null) await releaseDomain(db, accountId, reference(id));
  else await claimDomain(db, accountId, { ...reference(id), domain });
}

export async function createStatusPage(
  context: StatusPagesContext,
  caller: Caller,
  request: { readonly wish: StatusPageWish; readonly idempotencyKey: string | undefined },
): Promise<StatusPage> {
  const { wish, idempotencyKey: key } = request;
  const { accountId } = caller;
  const at = context.clock.now();
  const id = randomUUIDv7();
  const create = async (db: Database) => {
    if ((await countStatusPages(db, accountId)) >= maxPages) {
      throw conflict(`an account has at most ${maxPages} status pages; delete one first`);
    }
    await savePage(context, db, accountId, { before: null, id, wish, at });
    const changes = { name: wish.name, url: wish.url };
    await writeAuditEntry(db, caller, { action: "status-page.created", targetId: id, changes, at });
  };
  return tellWhatIsTaken(wish.url, () =>
    context.db.transaction().execute(async (db) => {
      const once = { key, operation: "status-page.created", body: wish, targetId: id, at };
      const { targetId } = await createOnce(db, caller, once, () => create(db));
      const page = await findStatusPageById(db, accountId, targetId);
      if (page === null) throw conflict("what this Idempotency-Key created has been deleted");
      return page;
    }),
  );
}

export async function getStatusPage(
  context: Pick<StatusPagesContext, "db">,
  caller: Caller,
  id: string,
): Promise<StatusPage> {
  const page = await findStatusPageById(context.db, caller.accountId, id);
  if (page === null) throw notFound();
  return page;
}

export function listOwnStatusPages(
  context: StatusPagesContext,
  caller: Caller,
  query: StatusPagesQuery,
): Promise<StatusPage[]> {
  return listStatusPages(context.db, caller.accountId, query);
}

export async function changeStatusPage(
  context: StatusPagesContext,
  caller: Caller,
  change: {
    readonly id: string;
    readonly wish: StatusPageWish;
    readonly ifMatch: string | undefined;
  },
): Promise<StatusPage> {
  const { wish, ifMatch } = change;
  const { accountId } = caller;
  const at = context.clock.now();
  return tellWhatIsTaken(wish.url, () =>
    context.db.transaction().execute(async (db) => {
      const before = await lockStatusPage(db, accountId, change.id);
      if (before === null) throw notFound();
      const { id } = before;
      assertMatch(ifMatch, tagStatusPage(before));
      await savePage(context, db, accountId, { before, id, wish, at });
      const changes = {
        fields: Object.keys(StatusPageBody.properties).filter((key) => key in wish),
      };
      const note = { action: "status-page.updated", targetId: id, changes, at };
      await writeAuditEntry(db, caller, note);
      const after = await findStatusPageById(db, accountId, id);
      if (after === null) throw notFound();
      return after;
    }),
  );
}

export async function removeStatusPage(
  context: StatusPagesContext,
  caller: Caller,
  id: string,
): Promise<void> {
  const { accountId } = caller;
  const at = context.clock.now();
  await context.db.transaction().execute(async (db) => {
    const page = await lockStatusPage(db, accountId, id);
    if (page === null) throw notFound();
    await deleteStatusPage(db, accountId, page.id);
    await releaseDomain(db, accountId, reference(page.id));
    await deletePageKeys(db, accountId, reference(page.id));
    await deletePageImages(db, accountId, reference(page.id));
    const changes = { name: page.name, url: page.url };
    const note = { action: "status-page.deleted", targetId: page.id, changes, at };
    await writeAuditEntry(db, caller, note);
  });
}
