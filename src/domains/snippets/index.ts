/**
 * Snippets: named scripts that checks and groups run by id, and that other scripts import by name.
 * Tables: snippets.
 */

export { addUsedSnippets } from "./snippet-store.ts";
export {
  addSnippetRoutes,
  changeSnippet,
  createSnippet,
  listOwnSnippets,
  removeSnippet,
  SnippetBody,
  type SnippetsContext,
  type SnippetUse,
} from "./snippets.ts";
