import type { KindSnippets } from "../../kinds/definition.ts";
import type { Database } from "../../platform/database.ts";
import { listNamedSnippets } from "./snippet-store.ts";

/** Snippets that a run needs. */
interface UsedSnippets {
  /** Scripts of the snippets that the run executes. */
  readonly byId: ReadonlyMap<number, string>;
  /** Snippets that scripts import, as files in the folder `snippets`. */
  readonly files: readonly { readonly path: string; readonly content: string }[];
}

/** `require("./snippets/sign-in.js")`, and `require("./sign-in")` in a snippet. */
const imported = /["'`](?:\.{1,2}\/){0,5}(?:[\w.-]+\/){0,5}snippets\/([\w.@ -]{1,255})["'`]/g;
const importedBeside = /["'`]\.\/(?:snippets\/)?([\w.@ -]{1,255})["'`]/g;

const listNames = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, name = ""]) => name.replace(/\.[jt]s$/, ""));

/** Snippets that import snippets, one after the other. */
const maxDepth = 5;
const maxSnippets = 50;
const maxBytes = 2 * 2 ** 20;

/**
 * Loads the snippets that scripts execute by id or import by name. Returns `null` if there are none,
 * and a sentence if they cannot be used.
 */
async function loadUsedSnippets(
  db: Database,
  accountId: string,
  { ids, texts }: { readonly ids: readonly number[]; readonly texts: readonly string[] },
): Promise<UsedSnippets | string | null> {
  const byId = new Map<number, string>();
  const byName = new Map<string, string>();
  let names = [...new Set(texts.flatMap((text) => listNames(text, imported)))];
  let missing = [...new Set(ids)];
  let bytes = 0;
  for (let depth = 0; depth < maxDepth && names.length + missing.length > 0; depth += 1) {
    const query = { ids: missing, names, limit: maxSnippets };
    const found = await listNamedSnippets(db, accountId, query);
    const next = new Set<string>();
    for (const { id, name, script } of found) {
      bytes += Buffer.byteLength(script);
      if (missing.includes(id)) {
        byId.set(id, script);
        for (const one of listNames(script, imported)) next.add(one);
      }
      if (names.includes(name) && !byName.has(name)) {
        byName.set(name, script);
        for (const one of listNames(script, importedBeside)) next.add(one);
      }
    }
    if (bytes > maxBytes) return "The snippets of this check are larger than 2 MiB in all.";
    missing = missing.filter((id) => !byId.has(id));
    const [lost] = missing;
    if (lost !== undefined) {
      return `The snippet ${lost} of this check does not exist any more. Choose another one.`;
    }
    names = [...next].filter((name) => !byName.has(name)).slice(0, maxSnippets);
  }
  if (byId.size + byName.size === 0) return null;
  const files = [...byName].map(([name, content]) => ({ path: `snippets/${name}.js`, content }));
  return { byId, files };
}

/** Adds the snippets that scripts of a request run or import. `fault` says why that fails. */
export async function addUsedSnippets(
  db: Database,
  accountId: string,
  snippets: KindSnippets<unknown> | undefined,
  request: unknown,
): Promise<{ readonly request: unknown; readonly fault: string | null }> {
  if (snippets === undefined) return { request, fault: null };
  const [ids, texts] = [snippets.listIds(request), snippets.listTexts(request)];
  const found = await loadUsedSnippets(db, accountId, { ids, texts });
  if (typeof found === "string") return { request, fault: found };
  if (found === null) return { request, fault: null };
  return { request: snippets.add(request, found.byId, found.files), fault: null };
}
