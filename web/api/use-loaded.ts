import {
  type QueryKey,
  type UseQueryOptions,
  type UseQueryResult,
  useQuery,
} from "@tanstack/react-query";

type Loaded<Data> = UseQueryResult<Data, Error> & { readonly data: Data };

const isLoaded = <Data>(result: UseQueryResult<Data, Error>): result is Loaded<Data> =>
  result.data !== undefined;

/**
 * Returns the object that the loader of the route has fetched. It suspends and throws like
 * `useSuspenseQuery`, which would also fetch the object while this window deletes it.
 */
export function useLoaded<Data, Key extends QueryKey>(
  options: UseQueryOptions<Data, Error, Data, Key>,
): Loaded<Data> {
  // Data that was loaded once stays on the screen after a later failure.
  const suspending = { ...options, suspense: true, throwOnError: false };
  const result = useQuery(suspending);
  if (!isLoaded(result)) throw new Error("The query has not suspended.");
  return result;
}
