import type { SitesContext } from "../sites/index.ts";

export interface StatusPagesContext extends SitesContext {
  /** Where our own pages live. */
  readonly publicUrl: () => string;
  /** Whether a picture may come from a private address. */
  readonly allowPrivate: boolean;
}
