import { Link } from "@tanstack/react-router";
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

export function NotFoundScreen() {
  return (
    <EmptyState title="Page not found">
      <p>
        Check the address, or <Link to="/">go to the Now screen.</Link>
      </p>
    </EmptyState>
  );
}
