/** The two kinds of page that share names, domains, keys and pictures. */
export type PageKind = "status-page" | "dashboard";

export interface PageReference {
  readonly pageKind: PageKind;
  readonly pageId: string;
}
