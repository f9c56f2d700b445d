import { queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { api, send, sendFull } from "../api/client.ts";
import { useMay, useSession } from "../api/session.ts";

/** Tag of all example checks that the server creates on its first start. */
const exampleTag = "example";
const examplePage = "example";
const exampleDashboard = "wall";

export interface Progress {
  readonly exampleChecks: number;
  readonly ownChecks: number;
  readonly channels: number;
  readonly ownPages: number;
  readonly hasExamplePage: boolean;
}

const countChecks = async (tag: string[]) =>
  (await sendFull(api.GET("/v1/checks", { params: { query: { limit: 1, tag } } }))).total ?? 0;

async function fetchProgress(): Promise<Progress> {
  const limit = { params: { query: { limit: 100 } } };
  const [all, exampleChecks, channels, pages] = await Promise.all([
    countChecks([]),
    countChecks([exampleTag]),
    send(api.GET("/v1/alert-channels", limit)),
    send(api.GET("/v1/status-pages", limit)),
  ]);
  const ownPages = pages.entries.filter(({ url }) => url !== examplePage).length;
  return {
    exampleChecks,
    ownChecks: all - exampleChecks,
    channels: channels.length,
    ownPages,
    hasExamplePage: pages.entries.length > ownPages,
  };
}

/**
 * Events do not invalidate this query. Otherwise, every change of a check would cause a request.
 */
export const progressQuery = queryOptions({
  queryKey: ["first-start"],
  queryFn: fetchProgress,
  staleTime: 2_000,
});

const doneKey = (accountId: string) => `vedette.first-steps-done.${accountId}`;

/**
 * Returns whether the user has finished or hidden the first steps of the account. If so, their
 * progress is not queried.
 */
function readDone(accountId: string): boolean {
  try {
    return localStorage.getItem(doneKey(accountId)) !== null;
  } catch {
    return false;
  }
}

export function writeDone(accountId: string): void {
  try {
    localStorage.setItem(doneKey(accountId), "1");
  } catch {
    // Storage is unavailable, so the progress is queried again at the next visit.
  }
}

async function deleteExampleChecks(): Promise<void> {
  const query = { limit: 100, tag: [exampleTag] };
  const checks = await send(api.GET("/v1/checks", { params: { query } }));
  for (const { id } of checks)
    await send(api.DELETE("/v1/checks/{id}", { params: { path: { id } } }));
}

/** Deletes the example objects, status pages first, so that no page shows missing checks. */
export async function removeExample(): Promise<void> {
  const limit = { params: { query: { limit: 100 } } };
  const [pages, dashboards, services] = await Promise.all([
    send(api.GET("/v1/status-pages", limit)),
    send(api.GET("/v1/dashboards", limit)),
    send(api.GET("/v1/status-pages/services", limit)),
  ]);
  for (const { id, url } of pages.entries) {
    if (url !== examplePage) continue;
    await send(
      api.DELETE("/v1/status-pages/{statusPageId}", { params: { path: { statusPageId: id } } }),
    );
  }
  for (const { dashboardId, customUrl } of dashboards) {
    if (customUrl !== exampleDashboard) continue;
    await send(api.DELETE("/v1/dashboards/{dashboardId}", { params: { path: { dashboardId } } }));
  }
  const ofExample = (Array.isArray(services) ? services : services.entries).filter(({ follows }) =>
    follows.tags.includes(exampleTag),
  );
  for (const { id } of ofExample) {
    await send(
      api.DELETE("/v1/status-pages/services/{serviceId}", { params: { path: { serviceId: id } } }),
    );
  }
  await deleteExampleChecks();
}

/** Returns whether each step is finished, in display order. */
export function listDone({ ownChecks, channels, ownPages }: Progress): readonly boolean[] {
  return [ownChecks > 0, channels > 0, ownPages > 0];
}

function useHasFirstSteps(): boolean {
  const mayWrite = useMay("write");
  const { account } = useSession();
  return mayWrite && !readDone(account.id);
}

interface FirstSteps {
  /** Whether the progress has loaded. The layout waits for this, so that it does not shift. */
  readonly isKnown: boolean;
  /**
   * Progress of the first steps; `null` if all steps are finished or hidden, or if the user lacks
   * write access.
   */
  readonly progress: Progress | null;
}

/** Returns the progress of the first steps for users with write access. */
export function useFirstSteps(): FirstSteps {
  const { account } = useSession();
  const isAsked = useHasFirstSteps();
  const { data, error } = useQuery({ ...progressQuery, enabled: isAsked });
  const isOver = data !== undefined && !listDone(data).includes(false) && data.exampleChecks === 0;
  useEffect(() => {
    if (isOver) writeDone(account.id);
  }, [isOver, account.id]);
  const isKnown = !isAsked || data !== undefined || error !== null;
  return { isKnown, progress: !isAsked || isOver ? null : (data ?? null) };
}
