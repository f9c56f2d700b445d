import { useEffect, useMemo, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { api, type Schemas, send } from "../../api/client.ts";
import { PreviewFrame } from "../../parts/preview-frame.tsx";
import { words } from "../words.ts";
import type { DashboardEditor } from "./use-dashboard-editor.ts";
import { toInput } from "./use-dashboard-editor.ts";

/** Minimum time between preview requests while typing. */
const settleMs = 400;
/** The server deletes a preview after ten minutes, so it is renewed earlier. */
const renewMs = 8 * 60_000;
/** Width of a TV. */
const screenWidth = 1_440;

export interface PreviewState {
  readonly answer: Schemas["DashboardPreview"] | null;
  readonly isLoading: boolean;
  readonly error: unknown;
}

/** Server-rendered preview of the dashboard, updated shortly after every change. */
export function useDashboardPreview(
  dashboardId: string,
  { values, base }: Pick<DashboardEditor, "values" | "base">,
): PreviewState {
  const [state, setState] = useState<PreviewState>({ answer: null, isLoading: true, error: null });
  const [renewals, setRenewals] = useState(0);
  const input = useMemo(() => toInput(base, values), [base, values]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a renewal asks again
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    const load = async () => {
      setState((before) => ({ ...before, isLoading: true }));
      try {
        const { keys: _keys, ...body } = input;
        const asked = { ...body, dashboardId };
        const answer = await send(api.POST("/v1/dashboards/previews", { body: asked, signal }));
        setState({ answer, isLoading: false, error: null });
      } catch (error) {
        if (!signal.aborted) setState((before) => ({ ...before, isLoading: false, error }));
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
  }, [dashboardId, input, renewals]);
  return state;
}

export function DashboardPreview({ answer, isLoading, error }: PreviewState) {
  const fault = error instanceof ApiError ? words.previewFault(error.message) : null;
  return (
    <PreviewFrame
      title={words.preview}
      preview={answer}
      isLoading={isLoading}
      fault={fault}
      deskWidth={screenWidth}
    />
  );
}
