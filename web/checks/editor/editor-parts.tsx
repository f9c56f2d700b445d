import { type ReactNode, useId } from "react";
import blockStyles from "../../parts/blocks.module.css";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Stack } from "../../parts/layout.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import styles from "./editor.module.css";
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

interface SectionProps {
  readonly title: string;
  readonly children: ReactNode;
}

export function Section({ title, children }: SectionProps) {
  const id = useId();
  return (
    <Stack as="section" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <Stack gap={4} className={`${blockStyles.card} ${styles.fields}`}>
        {children}
      </Stack>
    </Stack>
  );
}
