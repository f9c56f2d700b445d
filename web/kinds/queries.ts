import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import { api, send } from "../api/client.ts";
import type { CheckKind } from "./form-values.ts";
import { loadEditor } from "./index.ts";

/**
 * Query of the defaults and limits of all check types. They change only with the server's version.
 */
export const checkKindsQuery = queryOptions({
  queryKey: ["check-kinds"],
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
  queryFn: () => send(api.GET("/v1/check-kinds", {})),
});

/** Returns a function that finds the defaults and limits of a check type. */
export function useFindKind(): (type: string | undefined) => CheckKind {
  const { data } = useSuspenseQuery(checkKindsQuery);
  return (type) => {
    const found = data.find((kind) => kind.type === type);
    if (found === undefined) throw new Error(`The server has no check type ${type}.`);
    return found;
  };
}

/** Query that loads the editor components of a check type. */
export const kindEditorQuery = (type: string) =>
  queryOptions({
    queryKey: ["kind-editor", type],
    queryFn: () => loadEditor(type),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
