/** Class of the element below which every rule of a custom style sheet applies. */
export type SheetScope = "dashboard" | "status-page";

/** A custom style sheet as its author wrote it, and the page that it is for. */
export interface Sheet {
  readonly source: string;
  readonly scope: SheetScope;
}
