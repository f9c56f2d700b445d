import type { Caller } from "../../accounts/index.ts";
import type { ResourcesContext } from "../context.ts";
import { type Definition, type Fields, maxResources } from "../resource.ts";

/** `db` of the context is the transaction of the deployment. */
export interface AdapterTools {
  readonly context: ResourcesContext;
  readonly caller: Caller;
}

export interface Parsed<Input> {
  readonly definition: Definition;
  readonly input: Input;
}

export interface ToCreate<Input> {
  /** Chosen in advance, for types whose id can be chosen. */
  readonly id: string;
  readonly logicalId: string;
  readonly input: Input;
}

/** Error of one item of a list that is created at once. */
export class ItemError extends Error {
  readonly logicalId: string;

  constructor(logicalId: string, cause: unknown) {
    super("an item is invalid", { cause });
    this.logicalId = logicalId;
  }
}

/** How resources of one type are parsed, read and changed: by the actions of their module. */
export interface Adapter<Input = unknown> {
  /** Whether ids are numbers. */
  readonly hasNumbers: boolean;
  /** Paths of lists that are sorted by ids; an export sorts them by names. */
  readonly unordered?: readonly string[];
  /** Lists the ids of all resources of the account, or slightly more than a project may own. */
  listIds(tools: AdapterTools): Promise<string[]>;
  /**
   * `payload` has no references; `stored` is the current definition, whose secrets replace the masks
   * of the payload.
   */
  parse(payload: Fields, stored: Fields | null): Parsed<Input>;
  load(tools: AdapterTools, ids: readonly string[]): Promise<Map<string, Definition>>;
  /** Returns the physical ids in the same order. */
  create(tools: AdapterTools, items: readonly ToCreate<Input>[]): Promise<string[]>;
  change(tools: AdapterTools, id: string, input: Input): Promise<void>;
  /** Writes what refers to types that are created later. Called when all resources exist. */
  connect?(
    tools: AdapterTools,
    resource: { readonly id: string; readonly isNew: boolean },
    input: Input,
  ): Promise<void>;
  remove(tools: AdapterTools, ids: readonly string[]): Promise<void>;
  /** Replaces references to stored files by their content, for an export. */
  embedFiles?(tools: AdapterTools, id: string, fields: Fields): Promise<Fields>;
  /** Masks what an export must not contain although the API shows it. */
  maskExport?(shown: Fields): Fields;
  /** Removes fields that a change without them leaves as they are. */
  omitGenerated?(fields: Fields): Fields;
  /** Whether the stored resource cannot become the desired one and must be replaced. */
  mustReplace?(stored: Fields, desired: Fields): boolean;
}

const pageSize = 100;

/** Reads the pages of a list until they exceed what a project may own. */
export async function readPages<Item>(
  read: (query: { limit: number; page: number }) => Promise<readonly Item[]>,
): Promise<Item[]> {
  const found: Item[] = [];
  for (let page = 1; found.length <= maxResources; page += 1) {
    const some = await read({ limit: pageSize, page });
    found.push(...some);
    if (some.length < pageSize) break;
  }
  return found;
}

export const listIdsOf = (items: readonly { readonly id: string | number }[]) =>
  items.map(({ id }) => String(id));

/** Definition without secrets. */
export const describePlain = (clear: Fields): Definition => ({ clear, shown: clear });

/** Runs work for each item in order. */
export async function mapInOrder<Item, Outcome>(
  items: readonly Item[],
  work: (item: Item) => Promise<Outcome>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const item of items) outcomes.push(await work(item));
  return outcomes;
}

/** Creates items one by one; an error names the item. */
export function createEach<Input>(
  items: readonly ToCreate<Input>[],
  create: (input: Input) => Promise<string>,
): Promise<string[]> {
  return mapInOrder(items, async ({ logicalId, input }) => {
    try {
      return await create(input);
    } catch (error) {
      throw new ItemError(logicalId, error);
    }
  });
}
