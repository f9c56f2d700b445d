/** Class of the element that every rule of a custom style sheet is scoped to. */
export type SheetScope = "dashboard" | "status-page";

/** A custom style sheet as its author wrote it, and the page that it is for. */
export interface Sheet {
  readonly source: string;
  readonly scope: SheetScope;
}
