import { EmptyState } from "../../parts/empty-state.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { words } from "./words.ts";

export function NotAllowed({ title }: { readonly title: string }) {
  return (
    <>
      <PageHeader title={title} />
      <EmptyState title={words.notAllowed}>
        <p>{words.notAllowedHint}</p>
      </EmptyState>
    </>
  );
}
