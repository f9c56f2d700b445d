import type { ReactNode } from "react";
import styles from "./empty-state.module.css";

interface EmptyStateProps {
  readonly title: string;
  /** Explains the feature and the first step. */
  readonly children: ReactNode;
}

export function EmptyState({ title, children }: EmptyStateProps) {
  return (
    <div className={styles.empty}>
      <h2>{title}</h2>
      {children}
    </div>
  );
}
