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
 * Returns the object that the route's loader has fetched. Like `useSuspenseQuery`, the hook
 * suspends and throws. Unlike `useSuspenseQuery`, it does not fetch an object that this window is
 * deleting.
 */
export function useLoaded<Data, Key extends QueryKey>(
  options: UseQueryOptions<Data, Error, Data, Key>,
): Loaded<Data> {
  // If a refetch fails, the data that was loaded before stays on the screen.
  const suspending = { ...options, suspense: true, throwOnError: false };
  const result = useQuery(suspending);
  if (!isLoaded(result)) throw new Error("The query has not suspended.");
  return result;
}
