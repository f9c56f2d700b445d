export interface Snippet {
  readonly id: number;
  readonly name: string;
  readonly script: string;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

export type SnippetInput = Pick<Snippet, "name" | "script">;
