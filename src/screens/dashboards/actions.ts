import {
  type Caller,
  type Credentials,
  createOnce,
  writeAuditEntry,
} from "../../access/accounts/index.ts";
import { type Database, inTransaction } from "../../platform/database.ts";
import { invalid, notFound } from "../../platform/errors.ts";
import { assertMatch, tagVersion } from "../../platform/http/send.ts";
import type { Log } from "../../platform/log.ts";
import type { ChangeNotifications } from "../../platform/notifications.ts";
import type { StatesContext } from "../../runs/states/index.ts";
import {
  addPageKey,
  type CssWarning,
  claimNames,
  createPageKey,
  type FilteredCss,
  filterPageCss,
  forgetPage,
  listPageKeys,
  type PageKey,
  parseCustomDomain,
  parsePageUrl,
  removePageKey,
  rotatePageKey,
  type ShownPageKey,
  savePageImages,
} from "../../sites/publishing/index.ts";
import type { StatusPagesContext } from "../../sites/status-pages/index.ts";
import {
  createDashboardId,
  type DashboardInput,
  type DashboardRequest,
  type DashboardSettings,
  type DashboardWithKeys,
  mergeSettings,
  needsFirstKey,
} from "./dashboard.ts";
import {
  type DashboardLookup,
  deleteDashboard,
  findDashboard,
  insertDashboard,
  listDashboards,
  lockDashboard,
  raiseVersion,
  type StoredDashboard,
  updateDashboard,
} from "./store.ts";

export interface DashboardsContext extends StatusPagesContext, StatesContext {
  readonly log: Log;
  readonly credentials: Credentials;
  /** Notifies listeners when the public pages of an account may have changed. */
  readonly pageChanges: ChangeNotifications;
  readonly checkChanges: ChangeNotifications;
  /** Notifies listeners when the states of an account's checks have changed. */
  readonly stateChanges: ChangeNotifications;
}

const pageKind = "dashboard" as const;
export const referTo = (dashboardId: string) => ({ pageKind, pageId: dashboardId });

/**
 * Returns the URL that contains the id of a dashboard. It stays valid if the dashboard gets a
 * custom name or domain.
 */
export function formatFolder(context: DashboardsContext, dashboardId: string): string {
  return `${context.publicUrl()}/dashboards/${dashboardId}`;
}

/** Extracts the host from a whole URL, because users paste URLs into the domain field. */
function hostOf(text: string): string {
  return /^https?:\/\/([^/?#]+)\/?$/i.exec(text)?.[1] ?? text;
}

function readDomain(context: DashboardsContext, text: string): string {
  const parsed = parseCustomDomain(hostOf(text), context.publicUrl());
  if (parsed.kind === "invalid") throw invalid("customDomain", parsed.rule);
  return parsed.domain;
}

/** Applies validation rules that a schema cannot express, and normalises the domain. */
function checkSettings(
  context: DashboardsContext,
  settings: DashboardSettings,
  before: DashboardSettings | null,
): DashboardSettings {
  const { customUrl, customDomain } = settings;
  if (customUrl !== null && customUrl !== before?.customUrl) {
    const parsed = parsePageUrl(customUrl);
    if (parsed.kind === "invalid") throw invalid("customUrl", parsed.rule);
  }
  return {
    ...settings,
    customDomain: customDomain === null ? null : readDomain(context, customDomain),
  };
}

/** Returns the settings that a request results in. They are validated as when they are saved. */
export function decideSettings(
  context: DashboardsContext,
  input: DashboardInput,
  before: DashboardSettings | null,
): DashboardSettings {
  return checkSettings(context, mergeSettings(before, input), before);
}

export function filterCss(customCSS: string): Promise<FilteredCss> {
  return filterPageCss({ source: customCSS, scope: "dashboard" });
}

async function findCssWarnings(customCSS: string): Promise<readonly CssWarning[]> {
  return (await filterCss(customCSS)).warnings;
}

interface Saved {
  readonly dashboardId: string;
  readonly settings: DashboardSettings;
  readonly before: DashboardSettings | null;
  readonly at: Date;
}

/**
 * Stores names and images in their own tables. Returns the settings to store in the row of the
 * dashboard.
 */
async function saveParts(
  context: DashboardsContext,
  db: Database,
  accountId: string,
  { dashboardId, settings, before, at }: Saved,
): Promise<DashboardSettings> {
  const page = referTo(dashboardId);
  const { customUrl: label, customDomain: domain } = settings;
  const { isRequired: isProofRequired } = context.domainProof;
  const names = { label, labelField: "customUrl", domain, isProofRequired, at };
  await claimNames(db, accountId, { ...page, ...names });
  const stored = { logo: before?.logo ?? null, favicon: before?.favicon ?? null };
  // Returns `undefined` for an unchanged image, so that the image is not fetched again.
  const changed = (role: "logo" | "favicon") =>
    settings[role] === stored[role] ? undefined : settings[role];
  const { logo, favicon } = await savePageImages(db, accountId, {
    ...page,
    images: { logo: changed("logo"), favicon: changed("favicon") },
    stored,
    folder: formatFolder(context, dashboardId),
    allowPrivate: context.allowPrivate,
    at,
  });
  return { ...settings, logo, favicon };
}

async function loadDashboard(
  db: Database,
  accountId: string,
  dashboardId: string,
): Promise<StoredDashboard> {
  const found = await findDashboard(db, accountId, { by: "dashboardId", value: dashboardId });
  if (found === null) throw notFound();
  return found;
}

/** Adds the raw value of a key that was just created, so that the response can show it. */
function showKey(dashboard: StoredDashboard, made: ShownPageKey | null): DashboardWithKeys {
  const keys = dashboard.keys.map((key) => (key.id === made?.id ? made : key));
  return { ...dashboard, keys };
}

export async function createDashboard(
  context: DashboardsContext,
  caller: Caller,
  request: DashboardRequest & {
    /** Whole request body. A request that repeats an idempotency key must have an equal body. */
    readonly body: unknown;
    readonly idempotencyKey: string | undefined;
  },
): Promise<DashboardWithKeys> {
  const { accountId } = caller;
  const at = context.clock.now();
  const decided = decideSettings(context, request.input, null);
  const cssWarnings = await findCssWarnings(decided.customCSS);
  const dashboardId = createDashboardId();
  const once = {
    key: request.idempotencyKey,
    operation: "dashboard.created",
    body: request.body,
    targetId: dashboardId,
    at,
  };
  const create = async (db: Database) => {
    let shown: ShownPageKey | null = null;
    const { targetId } = await createOnce(db, caller, once, async () => {
      const draft = { dashboardId, settings: decided, cssWarnings, createdAt: at };
      await insertDashboard(db, accountId, draft);
      const saved = { dashboardId, settings: decided, before: null, at };
      const settings = await saveParts(context, db, accountId, saved);
      const made = { id: 0, accountId, ...draft, settings, version: 1, updatedAt: null };
      await updateDashboard(db, accountId, made);
      if (needsFirstKey(settings, request.firstKey, null)) {
        shown = await addPageKey(db, accountId, { ...referTo(dashboardId), at });
      }
      const changes = { header: settings.header, customUrl: settings.customUrl };
      const note = { action: "dashboard.created", targetId: dashboardId, changes, at };
      await writeAuditEntry(db, caller, note);
    });
    return showKey(await loadDashboard(db, accountId, targetId), shown);
  };
  return inTransaction(context.db, create);
}

export async function getDashboard(
  context: DashboardsContext,
  caller: Caller,
  which: { readonly by: DashboardLookup; readonly value: string },
): Promise<DashboardWithKeys> {
  const value = which.by === "customDomain" ? hostOf(which.value) : which.value;
  const found = await findDashboard(context.db, caller.accountId, { ...which, value });
  if (found === null) throw notFound();
  return found;
}

export function listOwnDashboards(
  context: DashboardsContext,
  caller: Caller,
  query: { readonly limit: number; readonly page: number },
): Promise<{ readonly dashboards: DashboardWithKeys[]; readonly total: number }> {
  return listDashboards(context.db, caller.accountId, query);
}

export async function changeDashboard(
  context: DashboardsContext,
  caller: Caller,
  change: DashboardRequest & {
    readonly dashboardId: string;
    readonly ifMatch: string | undefined;
  },
): Promise<DashboardWithKeys> {
  const { accountId } = caller;
  const { input, firstKey } = change;
  // Dashboard ids are case-insensitive.
  const dashboardId = change.dashboardId.toLowerCase();
  const at = context.clock.now();
  // Filters the custom CSS before the transaction starts, so that the row is not locked meanwhile.
  const newWarnings =
    input.customCSS === undefined ? null : await findCssWarnings(input.customCSS ?? "");
  const update = async (db: Database) => {
    const before = await lockDashboard(db, accountId, dashboardId);
    if (before === null) throw notFound();
    assertMatch(change.ifMatch, tagVersion(before.version));
    const decided = decideSettings(context, input, before.settings);
    const saved = { dashboardId, settings: decided, before: before.settings, at };
    const settings = await saveParts(context, db, accountId, saved);
    const cssWarnings = newWarnings ?? before.cssWarnings;
    const version = before.version + 1;
    await updateDashboard(db, accountId, {
      ...before,
      settings,
      cssWarnings,
      version,
      updatedAt: at,
    });
    const made = needsFirstKey(settings, firstKey, before)
      ? await addPageKey(db, accountId, { ...referTo(dashboardId), at })
      : null;
    const changes = { fields: Object.keys(input) };
    const note = { action: "dashboard.updated", targetId: dashboardId, changes, at };
    await writeAuditEntry(db, caller, note);
    return showKey(await loadDashboard(db, accountId, dashboardId), made);
  };
  return inTransaction(context.db, update);
}

export async function removeDashboard(
  context: DashboardsContext,
  caller: Caller,
  askedId: string,
): Promise<void> {
  const { accountId } = caller;
  const dashboardId = askedId.toLowerCase();
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const gone = await deleteDashboard(db, accountId, dashboardId);
    if (gone === null) throw notFound();
    await forgetPage(db, accountId, referTo(dashboardId));
    const changes = { header: gone.header };
    const note = { action: "dashboard.deleted", targetId: dashboardId, changes, at };
    await writeAuditEntry(db, caller, note);
  });
}

/** Returns the page reference of a dashboard if the caller's account owns the dashboard. */
async function getPage(context: DashboardsContext, caller: Caller, dashboardId: string) {
  const dashboard = await getDashboard(context, caller, { by: "dashboardId", value: dashboardId });
  return referTo(dashboard.dashboardId);
}

interface KeyPath {
  readonly dashboardId: string;
  readonly keyId: string;
}

export async function addKey(
  context: DashboardsContext,
  caller: Caller,
  dashboardId: string,
): Promise<ShownPageKey> {
  const page = await getPage(context, caller, dashboardId);
  const hold = (db: Database) => raiseVersion(db, caller.accountId, page.pageId);
  return createPageKey(context, caller, { ...page, hold });
}

export async function listKeys(
  context: DashboardsContext,
  caller: Caller,
  dashboardId: string,
): Promise<PageKey[]> {
  const { pageKind, pageId } = await getPage(context, caller, dashboardId);
  return listPageKeys(context.db, caller.accountId, { pageKind, pageIds: [pageId] });
}

export async function rotateKey(
  context: DashboardsContext,
  caller: Caller,
  { dashboardId, keyId }: KeyPath,
): Promise<ShownPageKey> {
  const page = await getPage(context, caller, dashboardId);
  return inTransaction(context.db, async (db) => {
    await raiseVersion(db, caller.accountId, page.pageId);
    return rotatePageKey({ ...context, db }, caller, { ...page, keyId });
  });
}

export async function removeKey(
  context: DashboardsContext,
  caller: Caller,
  { dashboardId, keyId }: KeyPath,
): Promise<void> {
  const page = await getPage(context, caller, dashboardId);
  await inTransaction(context.db, async (db) => {
    await raiseVersion(db, caller.accountId, page.pageId);
    await removePageKey({ ...context, db }, caller, { ...page, keyId });
  });
}
