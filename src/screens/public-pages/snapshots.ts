import type { PageLook } from "../../pages/status-page/shell.ts";
import { pageIcon, pageScript, pageStyle } from "../../pages/status-page/static-files.ts";
import { type Loop, startLoop } from "../../platform/loop.ts";
import { isTransient } from "../../platform/quarantine.ts";
import { findPageImage, imageRoles } from "../../sites/publishing/index.ts";
import {
  findStatusPageById,
  findStatusPageByUrl,
  listPublicStatusPages,
  type StatusPage,
} from "../../sites/status-pages/index.ts";
import type { PublicPagesContext } from "./context.ts";
import { type DocumentName, previousMonth } from "./page-document.ts";
import { dayMs } from "./page-view.ts";
import { listIncidents, loadView, type PagePlace, placePage, renderDocument } from "./rendering.ts";
import type { SnapshotFolder } from "./snapshot-folder.ts";

const maxMonths = 12;
const maxIncidents = 300;
const everyMs = 300_000;

/** Polling interval, short enough that a change is in the folder within a second. */
const pollMs = 250;

const endings: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/avif": "avif",
  "image/svg+xml": "svg",
  "image/x-icon": "ico",
  "image/vnd.microsoft.icon": "ico",
};

type Pictures = ReadonlyMap<(typeof imageRoles)[number], { file: string; bytes: Buffer }>;

async function loadPictures({ db }: PublicPagesContext, pageId: string): Promise<Pictures> {
  const found = await Promise.all(
    imageRoles.map(async (role) => {
      const image = await findPageImage(db, { pageKind: "status-page", pageId, role });
      const ending = endings[image?.contentType.split(";")[0] ?? ""];
      if (image === null || ending === undefined) return [];
      return [[role, { file: `images/${role}.${ending}`, bytes: image.bytes }] as const];
    }),
  );
  return new Map(found.flat());
}

/**
 * Converts the look (colours, images and links) of the live page to the look of a snapshot. Links
 * to other files of the snapshot are relative, so that the snapshot works at any path.
 */
function placeIn(
  live: PageLook,
  pictures: Pictures,
  where: Pick<PageLook, "basePath" | "snapshotAt">,
): PageLook {
  const locate = (role: (typeof imageRoles)[number]) => {
    const picture = pictures.get(role);
    return picture === undefined ? null : `${where.basePath}${picture.file}`;
  };
  return {
    ...live,
    ...where,
    logoUrl: locate("logo"),
    logoDarkUrl: locate("logo-dark"),
    faviconUrl: locate("favicon"),
  };
}

async function chooseHistory(context: PublicPagesContext, page: StatusPage) {
  const now = context.clock.now();
  const from = new Date(now.getTime() - 366 * dayMs);
  const incidents = await listIncidents(context, page, { from, limit: maxIncidents });
  const oldest = incidents.length < maxIncidents ? from : (incidents.at(-1)?.startedAt ?? from);
  const firstMonth = oldest.toISOString().slice(0, 7);
  const months = [now.toISOString().slice(0, 7)];
  while (months.length < maxMonths) {
    const month = previousMonth(months.at(-1) ?? "");
    if (month < firstMonth) break;
    months.push(month);
  }
  return { incidentIds: incidents.map(({ id }) => id), months };
}

export async function renderSnapshot(
  context: PublicPagesContext,
  page: StatusPage,
): Promise<Map<string, string | Buffer>> {
  const snapshotAt = context.clock.now();
  const pictures = await loadPictures(context, page.id);
  const { look: live } = await placePage(context, page, "./");
  const { incidentIds, months } = await chooseHistory(context, page);
  const view = await loadView(context, page);
  const oldestMonth = months.at(-1) ?? "";
  const at = (basePath: string): PagePlace => ({
    page,
    look: placeIn(live, pictures, { basePath, snapshotAt }),
    oldestMonth,
    view,
  });
  // Files are written in the order of this list. Each file follows the files that it links to, so
  // that links are never broken.
  const documents: (readonly [file: string, basePath: string, name: DocumentName])[] = [
    ["theme.css", "./", { kind: "theme" }],
    ["custom.css", "./", { kind: "custom-style" }],
    ["feed.rss", "./", { kind: "feed", format: "rss" }],
    ["feed.atom", "./", { kind: "feed", format: "atom" }],
    ["feed.json", "./", { kind: "feed", format: "json" }],
    ["maintenance.ics", "./", { kind: "calendar" }],
    ["badge.svg", "./", { kind: "badge" }],
    ["summary.json", "./", { kind: "summary" }],
    ...incidentIds.map((id) => [`incidents/${id}.html`, "../", { kind: "incident", id }] as const),
    ...months
      .toReversed()
      .map((month) => [`history/${month}.html`, "../", { kind: "history", month }] as const),
    ["history/index.html", "../", { kind: "history", month: null }],
    ["index.html", "./", { kind: "home" }],
  ];
  const files = new Map<string, string | Buffer>([
    ["page.css", pageStyle.text],
    ["page.js", pageScript.text],
    ["icon.svg", pageIcon],
  ]);
  for (const { file, bytes } of pictures.values()) files.set(file, bytes);
  for (const [file, basePath, name] of documents) {
    const document = await renderDocument(context, at(basePath), name);
    if (document !== null) files.set(file, document.text);
  }
  return files;
}

/** Writes pages soon after a change, and all pages periodically. */
class SnapshotWriter {
  readonly #context: PublicPagesContext;
  readonly #folder: SnapshotFolder;
  #changed = new Set<string>();
  #allDueAtMs = 0;

  constructor(context: PublicPagesContext, folder: SnapshotFolder) {
    this.#context = context;
    this.#folder = folder;
    context.pageChanges.onChange((accountId) => {
      if (accountId === null) this.#allDueAtMs = 0;
      else this.#changed.add(accountId);
    });
  }

  async turn(): Promise<void> {
    const nowMs = this.#context.clock.now().getTime();
    const isAllDue = nowMs >= this.#allDueAtMs;
    const accounts = isAllDue ? null : this.#changed;
    if (accounts?.size === 0) return;
    const dueBefore = this.#allDueAtMs;
    const changedBefore = this.#changed;
    this.#changed = new Set();
    if (isAllDue) this.#allDueAtMs = nowMs + everyMs;
    try {
      await this.#writePages(accounts);
    } catch (error) {
      // The database is unavailable, so the changed pages remain due.
      for (const accountId of changedBefore) this.#changed.add(accountId);
      if (isAllDue) this.#allDueAtMs = dueBefore;
      throw error;
    }
  }

  /**
   * Writes the snapshot of a page. If writing fails, the error is logged, so that the snapshots of
   * the other pages are still written. If the database is unavailable, the error is thrown instead.
   */
  async #writePage(page: StatusPage): Promise<void> {
    try {
      const files = await renderSnapshot(this.#context, page);
      await this.#folder.write(page.url, page.accountId, files);
    } catch (error) {
      if (isTransient(error)) throw error;
      const { url } = page;
      this.#context.log.warn({ err: error, page: url }, "could not write a snapshot");
    }
  }

  async #writePages(accounts: ReadonlySet<string> | null): Promise<void> {
    const { db, clock } = this.#context;
    if (accounts === null) await this.#folder.clean(clock.now());
    const isMeant = ({ accountId }: { readonly accountId: string }) =>
      accounts?.has(accountId) ?? true;
    for (const [url, owner] of await this.#folder.list()) {
      if (!isMeant(owner)) continue;
      const page = await findStatusPageByUrl(db, url);
      if (page === null || page.isPrivate) await this.#folder.remove(url);
    }
    for (const { accountId, id } of (await listPublicStatusPages(db)).filter(isMeant)) {
      const page = await findStatusPageById(db, accountId, id);
      if (page === null || page.isPrivate) continue;
      await this.#writePage(page);
    }
  }
}

export function startPublicPageLoops(context: PublicPagesContext): readonly Loop[] {
  const { snapshotFolder } = context;
  if (snapshotFolder === null) return [];
  const writer = new SnapshotWriter(context, snapshotFolder);
  const turn = () => writer.turn();
  return [startLoop({ name: "write snapshots", everyMs: pollMs, log: context.log, turn })];
}
