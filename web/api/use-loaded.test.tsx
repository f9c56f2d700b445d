/** Reading what the loader of a route has fetched. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { QueryClientProvider, queryOptions } from "@tanstack/react-query";
import { Component, type ReactNode, Suspense } from "react";
import { renderPart } from "../../test/support/components/part.tsx";
import { waitUntil } from "../../test/support/time/wait-until.ts";
import { ApiError } from "./api-error.ts";
import { deleteObject } from "./deletion.ts";
import { createQueryClient } from "./query-client.ts";
import { useLoaded } from "./use-loaded.ts";

class Boundary extends Component<{ readonly children: ReactNode }> {
  override readonly state = { error: null as Error | null };
  static getDerivedStateFromError(error: Error) {
    return { error };
  }
  override render() {
    return this.state.error === null ? this.props.children : <h1>{this.state.error.message}</h1>;
  }
}

const gone = new ApiError({ kind: "rejected", message: "Not Found", status: 404 });

function createQuery(answers: readonly (string | Error)[]) {
  let fetches = 0;
  const query = queryOptions({
    queryKey: ["groups", 7],
    meta: { events: ["check-group"] },
    queryFn: () => {
      const answer = answers[Math.min(fetches, answers.length - 1)] ?? "";
      fetches += 1;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  });
  return { query, countFetches: () => fetches };
}

type NameQuery = ReturnType<typeof createQuery>["query"];

function Group({ query }: { readonly query: NameQuery }) {
  const { data, error } = useLoaded(query);
  return (
    <>
      <h1>{data}</h1>
      {error && <p role="alert">{error.message}</p>}
    </>
  );
}

function render(query: NameQuery) {
  const client = createQueryClient();
  const part = renderPart(
    <QueryClientProvider client={client}>
      <Boundary>
        <Suspense fallback={<p>Loading</p>}>
          <Group query={query} />
        </Suspense>
      </Boundary>
    </QueryClientProvider>,
  );
  return { client, part };
}

test("what is not loaded yet suspends the screen", async (t) => {
  const { query } = createQuery(["Network"]);
  const { client, part } = render(query);
  t.after(() => client.clear());
  await part.getByText("Loading").waitFor();
  await part.getByRole("heading", { name: "Network" }).waitFor();
});

test("what was loaded stays on the screen when it can no longer be fetched", async (t) => {
  const { query } = createQuery(["Network", gone]);
  const { client, part } = render(query);
  t.after(() => client.clear());
  await part.getByRole("heading", { name: "Network" }).waitFor();
  await client.invalidateQueries({ queryKey: query.queryKey });
  await part.getByRole("alert").waitFor();
  assert.equal(part.getByRole("heading", { name: "Network" }).count(), 1);
});

test("an object is not fetched while this window deletes it", async (t) => {
  const { query, countFetches } = createQuery(["Network", gone]);
  const { client, part } = render(query);
  t.after(() => client.clear());
  await part.getByRole("heading", { name: "Network" }).waitFor();
  // The event of the deletion arrives before its response, and again while the screen is left.
  const renew = () => client.invalidateQueries({ queryKey: ["groups"] });
  void deleteObject(client, { of: [query.queryKey], send: renew, leave: renew, renew: [] });
  await waitUntil("nothing is fetched", () => client.isFetching() === 0);
  assert.equal(countFetches(), 1);
  assert.equal(part.getByRole("alert").count(), 0);
  part.rerender(<p>The list</p>);
  await waitUntil("it is forgotten", () => client.getQueryData(query.queryKey) === undefined);
});
