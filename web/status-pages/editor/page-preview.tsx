import { useEffect, useMemo, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { api, type Schemas, send } from "../../api/client.ts";
import { PreviewFrame } from "../../parts/preview-frame.tsx";
import type { StatusPageInput } from "../queries.ts";
import { toInput } from "./page-values.ts";
import type { PageEditor } from "./use-page-editor.ts";
import { words } from "./words.ts";

/** Minimum time between preview requests while typing. */
const settleMs = 400;
/**
 * Interval at which the preview is renewed, because the server deletes a preview after ten minutes.
 */
const renewMs = 8 * 60_000;

export type PreviewAnswer = Schemas["StatusPagePreview"];

export interface PreviewState {
  readonly answer: PreviewAnswer | null;
  /** Whether a newer version of the preview is loading. */
  readonly isLoading: boolean;
  readonly error: unknown;
}

interface Drawn extends Pick<PreviewState, "answer" | "error"> {
  readonly wanted: StatusPageInput | null;
}

type Links = StatusPageInput["headerLinks"];

/** Removes incomplete links from the preview, because the user is still typing them. */
const dropUnfinished = (links: Links) =>
  links?.filter(({ name, url }) => name !== "" && url !== "") ?? null;

function requestPreview(id: string, input: StatusPageInput, signal: AbortSignal) {
  const headerLinks = dropUnfinished(input.headerLinks);
  const footerLinks = dropUnfinished(input.footerLinks);
  const body = { ...input, headerLinks, footerLinks, id };
  return send(api.POST("/v1/status-pages/previews", { body, signal }));
}

/**
 * Returns the server-rendered preview of the page, updated shortly after every change. `version`
 * changes when a service has changed. While it is 0, the services are still loading and no preview
 * is requested.
 */
export function usePagePreview(
  statusPageId: string,
  { values, base }: Pick<PageEditor, "values" | "base">,
  version: number,
): PreviewState {
  const [drawn, setDrawn] = useState<Drawn>({ wanted: null, answer: null, error: null });
  const [renewals, setRenewals] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `version`, `renewals` reload it
  const wanted = useMemo(() => toInput(base, values), [base, values, version, renewals]);
  useEffect(() => {
    if (version === 0) return;
    const abort = new AbortController();
    const load = async () => {
      try {
        const answer = await requestPreview(statusPageId, wanted, abort.signal);
        if (!abort.signal.aborted) setDrawn({ wanted, answer, error: null });
      } catch (error) {
        if (!abort.signal.aborted) setDrawn(({ answer }) => ({ wanted, answer, error }));
      }
    };
    const timers = [
      setTimeout(() => void load(), settleMs),
      setTimeout(() => setRenewals((count) => count + 1), renewMs),
    ];
    return () => {
      abort.abort();
      for (const timer of timers) clearTimeout(timer);
    };
  }, [statusPageId, wanted, version]);
  // The preview counts as loading as soon as a value changes, even before the request is sent.
  return { answer: drawn.answer, error: drawn.error, isLoading: drawn.wanted !== wanted };
}

export function PagePreview({ answer, isLoading, error }: PreviewState) {
  const fault = error instanceof ApiError ? words.previewFault(error.message) : null;
  return (
    <PreviewFrame title={words.preview} preview={answer} isLoading={isLoading} fault={fault} />
  );
}
