/** The kinds of page that share names, domains, keys and images. */
export type PageKind = "status-page" | "dashboard";

export interface PageReference {
  readonly pageKind: PageKind;
  readonly pageId: string;
}
