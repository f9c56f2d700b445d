import {
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { api, type Schemas, send, sendFull } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { ifMatch } from "../../editing/index.ts";
import { pageEvents, pageQuery, type StoredPage } from "../queries.ts";

export type PageDomain = Schemas["PageDomain"];
export type PageKey = Schemas["StatusPageKey"];
export type CreatedKey = Schemas["CreatedStatusPageKey"];
export type Subscription = Schemas["StatusPageSubscription"];
export type Delivery = Schemas["StatusPageDelivery"];
export type ImportReport = Schemas["StatusPageSubscriptionsImported"];

const pageSize = 50;

const pathOf = (statusPageId: string) => ({ params: { path: { statusPageId } } });

export const keysQuery = (statusPageId: string) =>
  queryOptions({
    queryKey: ["status-pages", statusPageId, "keys"],
    meta: { events: pageEvents },
    queryFn: ({ signal }) =>
      send(api.GET("/v1/status-pages/{statusPageId}/keys", { ...pathOf(statusPageId), signal })),
  });

export const domainQuery = (statusPageId: string) =>
  queryOptions({
    queryKey: ["status-pages", statusPageId, "domain"],
    meta: { events: pageEvents },
    queryFn: ({ signal }) =>
      send(api.GET("/v1/status-pages/{statusPageId}/domain", { ...pathOf(statusPageId), signal })),
    // Polled faster until the domain is verified, because the server verifies it in the background.
    refetchInterval: ({ state }) => (state.data?.status === "VERIFIED" ? 60_000 : 10_000),
  });

export const snapshotQuery = (statusPageId: string) =>
  queryOptions({
    queryKey: ["status-pages", statusPageId, "snapshot"],
    meta: { events: pageEvents },
    queryFn: ({ signal }) =>
      send(
        api.GET("/v1/status-pages/{statusPageId}/snapshot", { ...pathOf(statusPageId), signal }),
      ),
  });

/**
 * Fetches the number of subscriptions per status. The second part of the query key must not be the
 * id of the page, because a query with an id is invalidated only by events with the same id. Events
 * about subscriptions contain the id of the subscription.
 */
export const countsQuery = (statusPageId: string) =>
  queryOptions({
    queryKey: ["subscriptions", "of-page", statusPageId, "counts"],
    meta: { events: ["subscription"] },
    queryFn: ({ signal }) =>
      send(
        api.GET("/v1/status-pages/{statusPageId}/subscriptions/counts", {
          ...pathOf(statusPageId),
          signal,
        }),
      ),
  });

export interface SubscriberFilter {
  readonly search?: string;
  readonly status?: Subscription["status"];
}

interface ListPage<Entry> {
  readonly entries: readonly Entry[];
  readonly nextId: string | null;
  readonly total: number | null;
}

export const subscribersQuery = (statusPageId: string, filter: SubscriberFilter) =>
  infiniteQueryOptions({
    queryKey: ["subscriptions", "of-page", statusPageId, "list", filter],
    meta: { events: ["subscription"] },
    initialPageParam: null as string | null,
    queryFn: async ({ signal, pageParam: nextId }): Promise<ListPage<Subscription>> => {
      const query = { ...filter, limit: pageSize + 1, ...(nextId !== null && { nextId }) };
      const params = { path: { statusPageId }, query };
      const { data, total } = await sendFull(
        api.GET("/v1/status-pages/{statusPageId}/subscriptions", { params, signal }),
      );
      // One more entry than a page contains is fetched. Its id is the start of the next page.
      return { entries: data.slice(0, pageSize), nextId: data[pageSize]?.id ?? null, total };
    },
    getNextPageParam: ({ nextId }) => nextId,
  });

export interface DeliveryFilter {
  readonly subscriptionId?: string;
  readonly status?: Delivery["status"];
}

export const deliveriesQuery = (statusPageId: string, filter: DeliveryFilter) =>
  infiniteQueryOptions({
    queryKey: ["subscriptions", "of-page", statusPageId, "deliveries", filter],
    meta: { events: ["subscription"] },
    initialPageParam: null as string | null,
    queryFn: ({ signal, pageParam: nextId }) => {
      const query = { ...filter, limit: pageSize, ...(nextId !== null && { nextId }) };
      const params = { path: { statusPageId }, query };
      return send(
        api.GET("/v1/status-pages/{statusPageId}/subscriptions/deliveries", { params, signal }),
      );
    },
    getNextPageParam: ({ nextId }) => nextId,
    // Polled, because no change notification is sent when the mail server responds.
    refetchInterval: 10_000,
  });

type Change = { readonly isPrivate: boolean } | { readonly customDomain: string | null };

/**
 * Changes one setting of the page. The change is rejected if another user has changed the page in
 * the meantime.
 */
export function useChangePage({ data: page, etag }: StoredPage, onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: Change): Promise<StoredPage> => {
      const params = { path: { statusPageId: page.id }, header: ifMatch(etag) };
      // `serviceIds` is omitted, so that the API does not change the services of each card.
      const cards = page.cards.map(({ id, name }) => ({ id, name }));
      const body = { name: page.name, url: page.url, cards, ...change };
      return sendFull(api.PUT("/v1/status-pages/{statusPageId}", { params, body }));
    },
    onSuccess: async (stored) => {
      client.setQueryData(pageQuery(page.id).queryKey, stored);
      client.removeQueries({ queryKey: domainQuery(page.id).queryKey });
      onDone();
      await renewQueries(client, ["status-pages"]);
    },
    onError: () => renewQueries(client, pageQuery(page.id).queryKey),
  });
}
