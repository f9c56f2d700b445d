import { randomUUIDv7 } from "node:crypto";
import { type Caller, createOnce, writeAuditEntry } from "../../access/accounts/index.ts";
import { type Database, inTransaction, lockName } from "../../platform/database.ts";
import { conflict, invalid, notFound } from "../../platform/errors.ts";
import { assertMatch } from "../../platform/http/send.ts";
import {
  type CssWarning,
  claimNames,
  filterPageCss,
  forgetPage,
  savePageImages,
} from "../publishing/index.ts";
import { keepCards, listServiceIdsOf, planCards } from "./cards.ts";
import type { ServicesContext, StatusPagesContext } from "./context.ts";
import { decidePageSettings } from "./page-settings.ts";
import { StatusPageBody, tagStatusPage } from "./schema.ts";
import { removeOwnServices } from "./services/services.ts";
import { holdServices } from "./services/store.ts";
import {
  formatPageFolder,
  referToPage,
  type StatusPage,
  type StatusPageInput,
} from "./status-page.ts";
import {
  countStatusPages,
  deleteStatusPage,
  findStatusPageById,
  insertStatusPage,
  listStatusPages,
  lockStatusPage,
  maxPages,
  replaceCards,
  type StatusPagesQuery,
  updateStatusPage,
} from "./store.ts";

interface PageChange {
  readonly before: StatusPage | null;
  readonly id: string;
  readonly input: StatusPageInput;
  /** Warnings about the custom CSS; `null` if the request does not change the custom CSS. */
  readonly cssWarnings: readonly CssWarning[] | null;
  readonly at: Date;
}

/** Filters the custom CSS before the transaction, so that the row is not locked meanwhile. */
async function findCssWarnings({ customCSS }: StatusPageInput): Promise<PageChange["cssWarnings"]> {
  if (customCSS === undefined) return null;
  const { warnings } = await filterPageCss({ source: customCSS ?? "", scope: "status-page" });
  return warnings;
}

function saveImages(
  context: StatusPagesContext,
  db: Database,
  accountId: string,
  { before, id, input, at }: PageChange,
) {
  const { logo = null, logoDark = null, favicon = null } = before?.settings ?? {};
  return savePageImages(db, accountId, {
    ...referToPage(id),
    images: { logo: input.logo, "logo-dark": input.logoDark, favicon: input.favicon },
    stored: { logo, "logo-dark": logoDark, favicon },
    folder: formatPageFolder(context.publicUrl(), before ?? input),
    allowPrivate: context.allowPrivate,
    at,
  });
}

/** Stores a page with its cards, names and images, in the given transaction. */
async function savePage(
  context: StatusPagesContext,
  db: Database,
  accountId: string,
  change: PageChange,
): Promise<void> {
  const { before, id, input, at } = change;
  const decided = decidePageSettings(before, input, context.publicUrl());
  if (decided.kind === "fault") throw invalid(decided.fault.key, decided.fault.rule);
  const cards = input.cards ?? keepCards(before);
  const knownServiceIds = await holdServices(db, accountId, listServiceIdsOf(cards));
  const plan = planCards(cards, {
    before: before?.cards ?? [],
    knownServiceIds,
    newId: randomUUIDv7,
    at,
  });
  if (plan.kind === "invalid") throw invalid(plan.key, plan.rule);
  const images = await saveImages(context, db, accountId, change);
  const { logo, "logo-dark": logoDark, favicon } = images;
  const settings = { ...decided.settings, logo, logoDark, favicon };
  const { url, isPrivate } = decided;
  const names = { label: url, labelField: "url", domain: settings.customDomain };
  const { isRequired: isProofRequired } = context.domainProof;
  await claimNames(db, accountId, { ...referToPage(id), ...names, isProofRequired, at });
  const page = {
    id,
    name: input.name,
    url,
    isPrivate,
    settings,
    cssWarnings: change.cssWarnings ?? before?.cssWarnings ?? [],
    usesComponents: input.usesComponents ?? before?.usesComponents ?? false,
    version: (before?.version ?? 0) + 1,
    createdAt: before?.createdAt ?? at,
    updatedAt: before === null ? null : at,
  };
  if (before === null) await insertStatusPage(db, accountId, page);
  else await updateStatusPage(db, accountId, page);
  await replaceCards(db, accountId, { id, cards: plan.cards });
}

export async function createStatusPage(
  context: StatusPagesContext,
  caller: Caller,
  request: { readonly input: StatusPageInput; readonly idempotencyKey: string | undefined },
): Promise<StatusPage> {
  const { input, idempotencyKey: key } = request;
  const { accountId } = caller;
  const at = context.clock.now();
  const id = randomUUIDv7();
  const cssWarnings = await findCssWarnings(input);
  const create = async (db: Database) => {
    await lockName(db, `status pages ${accountId}`);
    if ((await countStatusPages(db, accountId)) >= maxPages) {
      throw conflict(`an account has at most ${maxPages} status pages; delete one first`);
    }
    await savePage(context, db, accountId, { before: null, id, input, cssWarnings, at });
    const changes = { name: input.name, url: input.url };
    await writeAuditEntry(db, caller, { action: "status-page.created", targetId: id, changes, at });
  };
  return inTransaction(context.db, async (db) => {
    const once = { key, operation: "status-page.created", body: input, targetId: id, at };
    const { targetId } = await createOnce(db, caller, once, () => create(db));
    const page = await findStatusPageById(db, accountId, targetId);
    if (page === null)
      throw conflict("the object created with this Idempotency-Key has been deleted");
    return page;
  });
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
    readonly input: StatusPageInput;
    readonly ifMatch: string | undefined;
  },
): Promise<StatusPage> {
  const { input, ifMatch } = change;
  const { accountId } = caller;
  const at = context.clock.now();
  const cssWarnings = await findCssWarnings(input);
  return inTransaction(context.db, async (db) => {
    const before = await lockStatusPage(db, accountId, change.id);
    if (before === null) throw notFound();
    const { id } = before;
    assertMatch(ifMatch, tagStatusPage(before));
    await savePage(context, db, accountId, { before, id, input, cssWarnings, at });
    const fields = Object.keys(StatusPageBody.properties).filter((key) => key in input);
    const note = { action: "status-page.updated", targetId: id, changes: { fields }, at };
    await writeAuditEntry(db, caller, note);
    const after = await findStatusPageById(db, accountId, id);
    if (after === null) throw notFound();
    return after;
  });
}

export async function removeStatusPage(
  context: StatusPagesContext & Pick<ServicesContext, "checksOfServices">,
  caller: Caller,
  id: string,
): Promise<void> {
  const { accountId } = caller;
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const page = await lockStatusPage(db, accountId, id);
    if (page === null) throw notFound();
    await removeOwnServices(context, db, { accountId, pageId: page.id });
    await deleteStatusPage(db, accountId, page.id);
    await forgetPage(db, accountId, referToPage(page.id));
    const changes = { name: page.name, url: page.url };
    const note = { action: "status-page.deleted", targetId: page.id, changes, at };
    await writeAuditEntry(db, caller, note);
  });
}
