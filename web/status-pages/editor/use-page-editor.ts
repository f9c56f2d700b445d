import { useQueryClient } from "@tanstack/react-query";
import { api, sendFull } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { type Editor, ifMatch, useEditor } from "../../editing/index.ts";
import { showNotice } from "../../parts/notices.tsx";
import type { StatusPage } from "../queries.ts";
import { fetchPage, pageQuery, type StoredPage } from "../queries.ts";
import { type PageValues, toInput, toValues } from "./page-values.ts";
import { words } from "./words.ts";

export type PageEditor = Editor<StatusPage, PageValues>;

export function usePageEditor(stored: StoredPage): PageEditor {
  const client = useQueryClient();
  const { id: statusPageId } = stored.data;
  return useEditor({
    draftKey: `status-page.${statusPageId}`,
    stored,
    toValues,
    send: (values, version) => {
      const { data, etag } = version ?? stored;
      const params = { path: { statusPageId }, header: ifMatch(etag) };
      const body = toInput(toValues(data), values);
      return sendFull(api.PUT("/v1/status-pages/{statusPageId}", { params, body }));
    },
    refetch: () => fetchPage(statusPageId),
    onSaved: (saved) => {
      client.setQueryData(pageQuery(statusPageId).queryKey, saved);
      void renewQueries(client, ["status-pages"]);
      showNotice({ text: words.saved });
    },
  });
}
