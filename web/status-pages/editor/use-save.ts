import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { api, sendFull } from "../../api/client.ts";
import { isNews } from "../../checks/editor/changes.ts";
import type { Conflict } from "../../checks/editor/conflict-panel.tsx";
import { showNotice } from "../../parts/notices.tsx";
import { fetchPage, pageQuery, type StoredPage } from "../queries.ts";
import { type PageValues, toInput, toValues } from "./page-values.ts";
import type { PageEditor } from "./use-page-editor.ts";
import { words } from "./words.ts";

async function savePage(
  statusPageId: string,
  state: Pick<PageEditor, "base" | "values" | "etag">,
): Promise<StoredPage> {
  const { base, values, etag } = state;
  const { data, etag: next } = await sendFull(
    api.PUT("/v1/status-pages/{statusPageId}", {
      params: {
        path: { statusPageId },
        ...(etag !== null && { header: { "if-match": etag } }),
      },
      body: toInput(base, values),
    }),
  );
  return { page: data, etag: next };
}

export interface PageConflict extends Conflict {
  readonly base: PageValues;
  readonly mine: PageValues;
  readonly theirs: PageValues;
}

type Outcome =
  | { readonly kind: "saved"; readonly stored: StoredPage; readonly sent: PageValues }
  | { readonly kind: "met"; readonly conflict: PageConflict };

/** What others changed meanwhile is shown; if nobody sees a difference, ours goes on top. */
async function saveOrMeet(
  statusPageId: string,
  state: Pick<PageEditor, "base" | "values" | "etag">,
): Promise<Outcome> {
  const { base, values: mine } = state;
  try {
    return { kind: "saved", stored: await savePage(statusPageId, state), sent: mine };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 412) throw error;
  }
  const { page, etag } = await fetchPage(statusPageId);
  const theirs = toValues(page);
  if (isNews(base, mine, theirs)) {
    return { kind: "met", conflict: { base, mine, theirs, etag } };
  }
  const stored = await savePage(statusPageId, { base, values: mine, etag });
  return { kind: "saved", stored, sent: mine };
}

export function useSave(statusPageId: string, editor: PageEditor) {
  const client = useQueryClient();
  const [conflict, setConflict] = useState<PageConflict | null>(null);
  const save = useMutation({
    mutationFn: () => saveOrMeet(statusPageId, editor),
    onSuccess: (outcome) => {
      if (outcome.kind === "met") {
        setConflict(outcome.conflict);
        return;
      }
      setConflict(null);
      const { page, etag } = outcome.stored;
      const values = toValues(page);
      client.setQueryData(pageQuery(statusPageId).queryKey, outcome.stored);
      editor.keepStored({ base: values, values, etag }, outcome.sent);
      void client.invalidateQueries({ queryKey: ["status-pages"] });
      showNotice({ text: words.saved });
    },
  });
  return { save, conflict, setConflict };
}
