/**
 * Deletions that can still be undone. The request is sent after ten seconds, so closing the tab
 * earlier deletes nothing.
 */

import type { QueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { renewQueries } from "../../api/renew-queries.ts";
import { dismissNotice, showNotice } from "../../parts/notices.tsx";
import { type BulkTarget, sendBulk, showFailure, showOutcome } from "./bulk.ts";
import { words } from "./words.ts";

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

/** Returns a function that tells whether a check is about to be deleted. */
export function usePendingDeletes(): (checkId: string) => boolean {
  const targets = useSyncExternalStore(subscribe, () => pending);
  return (checkId) =>
    [...targets].some(({ ids, search }) => search !== null || ids.includes(checkId));
}
