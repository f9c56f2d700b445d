/**
 * Snippets: scripts that checks or groups run by id, or scripts import by name. Tables: snippets.
 */

export { addUsedSnippets, holdSnippets } from "./snippet-store.ts";
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
