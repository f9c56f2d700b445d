import { type QueryClient, useMutation, useQueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { sendMutes } from "../../alerts/index.ts";
import { api, type Schemas, send } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import type { components } from "../../api/schema.d.ts";
import { dismissNotice, showNotice } from "../../parts/notices.tsx";
import { describeOutcome } from "./bulk-outcome.ts";
import { pageSize } from "./queries.ts";
import { type ListSearch, toFilter } from "./search.ts";
import { words } from "./words.ts";

type BulkBody = components["requestBodies"]["BulkChange"]["content"]["application/json"];
export type BulkAction = BulkBody["action"];

/** Checks that a bulk action changes, and their number. */
export interface BulkTarget {
  readonly ids: readonly string[];
  /**
   * If set, the action changes all checks that match this search instead of `ids`. The API rejects
   * the action if the number of matching checks differs from `count`.
   */
  readonly search: ListSearch | null;
  readonly count: number;
}

export interface BulkRequest {
  readonly target: BulkTarget;
  readonly action: BulkAction;
  readonly tags?: string[];
  readonly groupId?: number | null;
  readonly alertChannelIds?: number[];
  readonly frequency?: NonNullable<BulkBody["frequency"]>;
  readonly frequencyOffset?: number;
  readonly locations?: NonNullable<BulkBody["locations"]>;
  readonly privateLocations?: string[];
}

/** Maximum number of check ids per request. */
const maxIds = 1_000;

async function sendPart(body: BulkBody): Promise<Schemas["BulkAnswer"]["checks"]> {
  return (await send(api.POST("/v1/checks/bulk", { body }))).checks;
}

export async function sendBulk({ target, ...change }: BulkRequest) {
  if (target.search !== null) {
    const filter = toFilter(target.search);
    return sendPart({ ...change, filter, expectedCount: target.count });
  }
  const answers: Schemas["BulkAnswer"]["checks"] = [];
  for (let at = 0; at < target.ids.length; at += maxIds) {
    answers.push(...(await sendPart({ ...change, ids: target.ids.slice(at, at + maxIds) })));
  }
  return answers;
}

/** Sends a bulk action. "unmute" also ends the time-limited mutes of the checks. */
async function changeMany(request: BulkRequest) {
  const answers = await sendBulk(request);
  if (request.action === "unmute") {
    const unmuted = answers.filter(
      ({ outcome }) => outcome !== "refused" && outcome !== "notFound",
    );
    await sendMutes(
      unmuted.map(({ id }) => toTarget(id)),
      { mutedUntil: null },
    );
  }
  return answers;
}

const toTarget = (checkId: string) => ({ type: "CHECK", checkId }) as const;

/** Returns the checks of a bulk action as mute targets. */
export async function listMuteTargets({ ids, search, count }: BulkTarget) {
  if (search === null) return ids.map(toTarget);
  if (count > maxIds) throw new Error(words.tooManyToMute(maxIds));
  const found: ReturnType<typeof toTarget>[] = [];
  for (let page = 1; found.length < count; page += 1) {
    const query = { ...toFilter(search), sort: "name", limit: pageSize, page } as const;
    const { entries } = await send(api.GET("/v1/check-overviews", { params: { query } }));
    found.push(...entries.map(({ checkId }) => toTarget(checkId)));
    if (entries.length < pageSize) break;
  }
  return found;
}

type Answers = Awaited<ReturnType<typeof sendBulk>>;

/** Shows the result of a bulk action. */
export function showOutcome(action: BulkAction, answers: Answers): void {
  const count = (outcome: Answers[number]["outcome"]) =>
    answers.filter((one) => one.outcome === outcome).length;
  const refused = answers.filter(({ outcome }) => outcome === "refused");
  const done = count("changed") + count("deleted");
  if (done + count("unchanged") > 0) {
    showNotice({ text: describeOutcome(action, done, count("unchanged")) });
  }
  const missing = count("notFound");
  if (missing > 0) showNotice({ text: words.missing(missing), tone: "bad" });
  const why = refused[0]?.message;
  if (why) showNotice({ text: words.refused(refused.length, why), tone: "bad" });
}

export function showFailure(error: unknown): void {
  showNotice({ text: error instanceof Error ? error.message : String(error), tone: "bad" });
}

/**
 * Runs bulk actions. The checks stay selected afterwards, because the next action often applies to
 * the same checks.
 */
export function useBulk() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: changeMany,
    onSuccess: (answers, { action }) => showOutcome(action, answers),
    onError: showFailure,
    onSettled: () =>
      Promise.all([renewQueries(client, ["checks"]), renewQueries(client, ["mutes"])]),
  });
}

/**
 * Time in which a deletion can be undone. The request is sent only afterwards, so nothing is
 * deleted if the tab is closed earlier.
 */
const undoMs = 10_000;
let pending: ReadonlySet<BulkTarget> = new Set();
const listeners = new Set<() => void>();

function change(target: BulkTarget, isPending: boolean): void {
  const next = new Set(pending);
  if (isPending) next.add(target);
  else next.delete(target);
  pending = next;
  for (const listener of listeners) listener();
}

async function deleteNow(target: BulkTarget, client: QueryClient): Promise<void> {
  try {
    showOutcome("delete", await sendBulk({ target, action: "delete" }));
  } catch (error) {
    showFailure(error);
  }
  await renewQueries(client, ["checks"]);
  change(target, false);
}

export function deleteLater(target: BulkTarget, client: QueryClient): void {
  change(target, true);
  const timer = setTimeout(() => {
    dismissNotice(notice);
    void deleteNow(target, client);
  }, undoMs);
  const notice = showNotice({
    text: words.willBeDeleted(target.count),
    lastsMs: undoMs,
    action: {
      label: words.undo,
      run: () => {
        clearTimeout(timer);
        change(target, false);
        showNotice({ text: words.deleteUndone });
      },
    },
  });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Returns a function that receives the id of a check in a list, and returns whether the check is
 * about to be deleted. `listed` is the search of the list. If the user deletes all checks that
 * match a search, every check in a list with the same search is about to be deleted.
 */
export function usePendingDeletes(listed: ListSearch): (checkId: string) => boolean {
  const targets = useSyncExternalStore(subscribe, () => pending);
  const write = (search: ListSearch) => JSON.stringify(toFilter(search));
  const shown = write(listed);
  return (checkId) =>
    [...targets].some(({ ids, search }) =>
      search === null ? ids.includes(checkId) : write(search) === shown,
    );
}
