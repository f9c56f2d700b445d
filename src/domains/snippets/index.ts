/**
 * Snippets: named scripts that checks and groups refer to by id. This server runs no scripts; it
 * stores snippets for clients that keep them beside their checks.
 * Tables: snippets.
 */
export {
  addSnippetRoutes,
  changeSnippet,
  createSnippet,
  listOwnSnippets,
  removeSnippet,
  SnippetBody,
  type SnippetsContext,
} from "./snippets.ts";
