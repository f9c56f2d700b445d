import { queryOptions } from "@tanstack/react-query";
import { api, send, sendFull } from "../api/client.ts";

/** Tag that the first start gives to all example checks. */
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

/** Not invalidated by the event stream, because every change of a check would re-fetch it. */
export const progressQuery = queryOptions({
  queryKey: ["first-start"],
  queryFn: fetchProgress,
  staleTime: 2_000,
});

const doneKey = (accountId: string) => `vedette.first-steps-done.${accountId}`;

/** Once an account has finished the first steps, this browser does not query them again. */
export function readDone(accountId: string): boolean {
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
    // Storage is unavailable: the steps are queried again.
  }
}

async function deleteExampleChecks(): Promise<void> {
  const query = { limit: 100, tag: [exampleTag] };
  const checks = await send(api.GET("/v1/checks", { params: { query } }));
  for (const { id } of checks)
    await send(api.DELETE("/v1/checks/{id}", { params: { path: { id } } }));
}

/** Deletes pages first, because a page would briefly show missing checks otherwise. */
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
