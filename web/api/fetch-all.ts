/** Fetches a list to its end, to select from it by name. A list that is cut is reported. */

const limit = 100;
const maxPages = 50;

interface PageQuery {
  readonly limit: number;
  /** Number of the page, from 1. */
  readonly page: number;
  /** Cursor that the page before returned; `null` for the first page. */
  readonly nextId: string | null;
}

/** A numbered page with the total of the list, or a page with the cursor of the next. */
type ListPage<Item> =
  | { readonly data: readonly Item[]; readonly total: number | null }
  | { readonly entries: readonly Item[]; readonly nextId: string | null };

type CutListener = (what: string, shown: number) => void;

const cutListeners = new Set<CutListener>();

/** Registers a listener for lists that are longer than the 5,000 objects that are fetched. */
export function onListCut(listener: CutListener): () => void {
  cutListeners.add(listener);
  return () => cutListeners.delete(listener);
}

/** Fetches all pages of a list. `what` names the objects in the message about a cut list. */
export async function fetchAll<Item>(
  what: string,
  fetchPage: (query: PageQuery) => Promise<ListPage<Item>>,
): Promise<Item[]> {
  const found: Item[] = [];
  let nextId: string | null = null;
  for (let page = 1; page <= maxPages; page += 1) {
    const answer: ListPage<Item> = await fetchPage({ limit, page, nextId });
    if ("entries" in answer) {
      found.push(...answer.entries);
      ({ nextId } = answer);
      if (nextId === null) return found;
    } else {
      found.push(...answer.data);
      const isLast = answer.data.length < limit || found.length === answer.total;
      if (isLast) return found;
    }
  }
  for (const notify of cutListeners) notify(what, found.length);
  return found;
}
